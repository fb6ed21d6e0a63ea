import { expect } from 'chai';
import { toProductId } from '../../../core/id.ts';
import { receives } from '../../../core/webhooks/endpoint.ts';
import { optIn, webhookEventTypes } from '../../../core/webhooks/webhook-event.ts';

const [mine, other] = [toProductId(1), toProductId(2)];
const all = { events: '*', productId: null, off: null } as const;
const aboutProduct = (id: typeof mine) => ({ type: 'license.issued', product: { id, title: '', slug: '' } }) as const;
const ofType = (type: (typeof webhookEventTypes)[number]) => ({ ...aboutProduct(mine), type });

describe('an endpoint', () => {
  it('with * gets every event but license.verified', () => {
    const left = webhookEventTypes.filter((type) => !receives(all, ofType(type)));
    expect(left).to.deep.equal(['license.verified']);
    expect(optIn).to.deep.equal(left);
  });

  it('gets the events that it names, and no other', () => {
    for (const named of webhookEventTypes) {
      const got = webhookEventTypes.filter((type) => receives({ ...all, events: [named] }, ofType(type)));
      expect(got).to.deep.equal([named]);
    }
  });

  it('for one product gets no event of another', () => {
    const limited = { ...all, productId: mine };
    expect([mine, other].map((id) => receives(limited, aboutProduct(id)))).to.deep.equal([true, false]);
    expect([mine, other].map((id) => receives(all, aboutProduct(id)))).to.deep.equal([true, true]);
  });

  it('gets nothing while it is off', () => {
    for (const off of ['seller', 'failures'] as const)
      expect(receives({ ...all, off }, aboutProduct(mine))).to.equal(false);
  });
});
