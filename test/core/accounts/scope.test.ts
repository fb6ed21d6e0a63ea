import { expect } from 'chai';
import fc from 'fast-check';
import { lacking, scopeNames, sortedScopes } from '../../../core/accounts/scope.ts';

const scope = fc.constantFrom(...scopeNames);

describe('the scopes of an API key', () => {
  it('allow what they name, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(scope), scope, (had, needed) => {
        const refused = { kind: 'refused', reason: 'forbidden', detail: `The API key lacks the scope ${needed}.` };
        expect(lacking(had, needed)).to.deep.equal(had.includes(needed) ? undefined : refused);
      }),
    );
  });

  it('allow everything if they are null', () => {
    for (const needed of scopeNames) expect(lacking(null, needed)).to.equal(undefined);
  });

  it('are kept once each, in the order of the table', () => {
    expect(sortedScopes(null)).to.equal(null);
    fc.assert(
      fc.property(fc.array(scope), (some) => {
        expect(sortedScopes(some)).to.deep.equal(
          [...new Set(some)].sort((one, other) => scopeNames.indexOf(one) - scopeNames.indexOf(other)),
        );
      }),
    );
  });
});
