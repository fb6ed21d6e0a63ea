import { expect } from 'chai';
import { Failure } from '../../adapters/http/failures.ts';

describe('a failure', () => {
  it('has no stack trace, and other errors still have one', () => {
    const failure = new Failure('expired', { cause: new Error('the cause') });
    expect(failure.stack).to.not.include('\n    at ');
    expect(failure.cause).to.have.property('stack').that.includes('\n    at ');
    expect(new Error('later').stack).to.include('\n    at ');
  });
});
