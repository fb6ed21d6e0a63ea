import { expect } from 'chai';
import { type EventType, event, eventTypes } from '../../../core/events/event.ts';
import { toOrderId, toProductId, toUserId } from '../../../core/id.ts';
import type { Order } from '../../../core/purchases/order.ts';
import {
  happeningsOfLicense,
  happeningsOfOrder,
  happeningsOfProduct,
  isTold,
  toldOfEnd,
  toldOfExpiry,
  verificationsOf,
} from '../../../core/webhooks/happenings.ts';
import { domain, keyNumber, newProduct, issuedAt as now } from '../../support/license-acts.ts';
import { justAdded, newOrder } from '../../support/orders.ts';

const product = { id: toProductId(7), title: 'Tip "Jar"', slug: 'tip-jar', ownerId: toUserId(3), isLive: false };
const order = {
  ...newOrder({ ...newProduct(), id: product.id }),
  ...justAdded,
  id: toOrderId(3),
  number: 4,
  revision: 5,
};
const facts = { expiresAt: now + 1, updatesUntil: now + 2, entitlements: ['pro'], maxDomains: 5, domainsUsed: 2 };
const license = { key: keyNumber(1), standing: 'active', ...facts } as const;
const by = { actor: 'ada@example.com', reason: 'Unpaid' };

const about = {
  at: now,
  ownerId: 3,
  isLive: false,
  product: { id: 7, title: 'Tip "Jar"', slug: 'tip-jar' },
  license: { key: license.key, status: 'active', ...facts },
};
const made = (type: EventType, data = {}, actor: { actor: string; reason?: string } = by) =>
  event(type, license.key, actor, now, data);
const ofLicense = (type: EventType, data = {}) => happeningsOfLicense(made(type, data), license, product);

describe('what webhooks are told', () => {
  it('of a license is its state after the change, with what only this event has', () => {
    expect(ofLicense('license.issued')).to.deep.equal([{ ...about, type: 'license.issued' }]);
    const site = { domain: 'a.example' };
    expect(ofLicense('license.activated', site)).to.deep.equal([{ ...about, ...site, type: 'license.activated' }]);
    for (const type of ['license.suspended', 'license.reinstated', 'license.revoked', 'license.renewed'] as const) {
      expect(ofLicense(type)).to.deep.equal([{ ...about, type, reason: 'Unpaid' }]);
      const noReason = happeningsOfLicense(made(type, {}, { actor: 'x' }), license, product);
      expect(noReason).to.deep.equal([{ ...about, type, reason: '' }]);
    }
  });

  it('of domains that were removed together is one event each', () => {
    const told = (data: object) =>
      ofLicense('license.deactivated', data).map((one) => [one.type, 'domain' in one && one.domain]);
    expect(told({ domain: 'a.example' })).to.deep.equal([['license.deactivated', 'a.example']]);
    expect(told({ domain: 'a.example', also: 'b.example c.example' })).to.deep.equal(
      ['a.example', 'b.example', 'c.example'].map((one) => ['license.deactivated', one]),
    );
  });

  it('of an activation that takes the slot of other domains are their deactivations, then the activation', () => {
    const data = { domain: 'new.example', proven_at: now, instead_of: 'a.example b.example' };
    expect(ofLicense('license.activated', data)).to.deep.equal([
      { ...about, type: 'license.deactivated', domain: 'a.example' },
      { ...about, type: 'license.deactivated', domain: 'b.example' },
      { ...about, type: 'license.activated', domain: 'new.example' },
    ]);
  });

  it('of a move is one event with both domains', () => {
    const data = { domain: 'a.example', to: 'b.example', ends_at: now + 5 };
    expect(ofLicense('license.domain_moved', data)).to.deep.equal([
      { ...about, type: 'license.domain_moved', from: 'a.example', to: 'b.example', fromEndsAt: now + 5 },
    ]);
  });

  it('of a replaced key has the former one and its end', () => {
    const data = { former_key: 'LIC-TEST-0000-0000-0000', former_valid_until: now + 5 };
    expect(ofLicense('license.rotated', data)).to.deep.equal([
      { ...about, type: 'license.rotated', formerKey: 'LIC-TEST-0000-0000-0000', formerEndsAt: now + 5 },
    ]);
  });

  it('of a product is its approval or rejection', () => {
    const { license: _, ...common } = about;
    expect(happeningsOfProduct(made('product.approved'), product)).to.deep.equal([
      { ...common, type: 'product.approved' },
    ]);
    expect(happeningsOfProduct(made('product.rejected'), product)).to.deep.equal([
      { ...common, type: 'product.rejected', reason: 'Unpaid' },
    ]);
  });

  it('of an order is its state after the change', () => {
    const { license: _, ...common } = about;
    for (const type of ['order.paid', 'order.refunded', 'order.disputed'] as const) {
      const parts = [{ ...order, id: toOrderId(4), partOf: order.id }];
      const told = happeningsOfOrder(made(type), order, parts, product);
      expect(told).to.deep.equal([{ ...common, type, order: { ...order, parts } }]);
    }
  });

  it('of an end that comes soon has the days that are left', () => {
    expect(toldOfEnd(license, product, 7, now)).to.deep.equal([{ ...about, type: 'license.expiring', daysLeft: 7 }]);
  });

  it('of an expiry has the time of the end, and of a verification the count', () => {
    const ended = { ...about.license, status: 'expired' };
    expect(toldOfExpiry(license, product)).to.deep.equal([
      { ...about, at: now + 1, license: ended, type: 'license.expired' },
    ]);
    expect(toldOfExpiry({ ...license, expiresAt: null }, product)).to.deep.equal([]);
    const site = { domain: domain('a.example'), lastVerifiedAt: now - 9 };
    expect(verificationsOf(license, product, site, 4, now)).to.deep.equal([
      { ...about, ...site, type: 'license.verified', count: 4 },
    ]);
    expect(verificationsOf(license, product, site, 0, now)).to.deep.equal([]);
  });

  it('is nothing if the product has no owner, and nothing of all other changes', () => {
    const ours = { ...product, ownerId: null };
    const recurs = { months: 1, graceDays: 7, perpetualAfter: null };
    const monthly = { slug: 'monthly', name: 'Monthly', updatesMonths: null, entitlements: [], recurs };
    const subscribed: Order = {
      ...order,
      agreed: { ...order.agreed, offer: { ...monthly, kind: 'subscription' } },
      subscription: {
        id: 'sub',
        status: 'active',
        isCancelled: false,
        payAt: null,
        paidTo: now,
        next: null,
        now: null,
        endedAt: null,
      },
    };
    for (const type of eventTypes) {
      expect(happeningsOfLicense(made(type), license, ours)).to.deep.equal([]);
      expect(happeningsOfProduct(made(type), ours)).to.deep.equal([]);
      expect(happeningsOfOrder(made(type), order, [], ours)).to.deep.equal([]);
      const told = [
        ...happeningsOfLicense(made(type), license, product),
        ...happeningsOfProduct(made(type), product),
        ...happeningsOfOrder(made(type), subscribed, [], product),
      ];
      expect(told.length > 0, type).to.equal(isTold(type));
    }
    expect(toldOfExpiry(license, ours)).to.deep.equal([]);
    expect(toldOfEnd(license, ours, 1, now)).to.deep.equal([]);
    expect(eventTypes.filter(isTold)).to.have.lengthOf(21);
  });
});
