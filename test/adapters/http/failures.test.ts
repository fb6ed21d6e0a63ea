import { expect } from 'chai';
import { Failure, pageOfRefusal, sentToAccount } from '../../../adapters/http/failures.ts';
import { refuse } from '../../../core/refusal.ts';

describe('a failure', () => {
  it('has no stack trace, and other errors still have one', () => {
    const failure = new Failure('expired', { cause: new Error('the cause') });
    expect(failure.stack).to.not.include('\n    at ');
    expect(failure.cause).to.have.property('stack').that.includes('\n    at ');
    expect(new Error('later').stack).to.include('\n    at ');
  });
});

describe('a refusal of core', () => {
  it('is sent to the account API as its row says, with the message and figures of core', () => {
    const refused = refuse('quota_exceeded', 'There is no room.', { used: 7, allowed: 5 });
    expect(sentToAccount(refused)).to.deep.equal(refused);
    expect(sentToAccount(refuse('order_not_found', 'No order has the id 7.'))).to.deep.equal(
      refuse('not_found', 'No order has the id 7.'),
    );
  });

  it('has the message of its row if core gives none', () => {
    expect(sentToAccount(refuse('revoked'))).to.deep.equal(refuse('conflict', 'The license was revoked.'));
  });

  it('is thrown as a validation error if it is about a parameter, also if only in this call', () => {
    expect(() => sentToAccount(refuse('invalid_since', 'It must be a time in the past.')))
      .to.throw(Failure)
      .with.property('fields')
      .that.deep.equals({ since: ['It must be a time in the past.'] });
    expect(() => sentToAccount(refuse('product_not_found', 'No such product.'), { product_not_found: 'product' }))
      .to.throw(Failure)
      .that.deep.includes({ reason: 'validation_error', fields: { product: ['No such product.'] } });
  });

  it('is a page of its own on the dashboard only if its row says so', () => {
    expect(pageOfRefusal('webhook_not_found')).to.equal('not_found');
    expect(pageOfRefusal('forbidden')).to.equal('forbidden');
    expect(pageOfRefusal('webhook_off')).to.equal(undefined);
    expect(pageOfRefusal('constructor')).to.equal(undefined);
  });
});
