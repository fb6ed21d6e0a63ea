import { expect } from 'chai';
import { toJson } from '../../apps/commands/action.ts';

const printed = (answer: object): unknown => JSON.parse(toJson(answer));

describe('the output of --json', () => {
  it('has names in snake_case, at every depth', () => {
    const answer = { maxDomains: 3, lastFour: 'a1B2', keys: ['LIC-A'], product: { ownerId: null, is_new: true } };
    expect(printed([{ answer }])).to.deep.equal([
      { answer: { max_domains: 3, last_four: 'a1B2', keys: ['LIC-A'], product: { owner_id: null, is_new: true } } },
    ]);
  });

  it('has times in ISO 8601', () => {
    const answer = { at: 0, expiresAt: 1, data: { expires_at: 2, domains: [{ activatedAt: 3 }] } };
    expect(printed(answer)).to.deep.equal({
      at: '1970-01-01T00:00:00.000Z',
      expires_at: '1970-01-01T00:00:00.001Z',
      data: { expires_at: '1970-01-01T00:00:00.002Z', domains: [{ activated_at: '1970-01-01T00:00:00.003Z' }] },
    });
  });

  it('does not change values that are not times, and omits undefined values', () => {
    const answer = { expiresAt: null, format: 1, seat: 2, at: 'noon', missing: undefined };
    expect(printed(answer)).to.deep.equal({ expires_at: null, format: 1, seat: 2, at: 'noon' });
  });
});
