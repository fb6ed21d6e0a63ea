import { expect } from 'chai';
import fc from 'fast-check';
import { toOrderId, toProductId } from '../../../core/id.ts';
import { type License, neverActivated, type Standing, standings } from '../../../core/licensing/license.ts';
import type { OnRefund } from '../../../core/marketplace/product-terms.ts';
import type { NewLicense } from '../../../core/ports/license-store.ts';
import { effectOf, isUsable, type Order, orderTable, stateOf } from '../../../core/purchases/order.ts';
import { disputeStates, type PaymentFacts, paymentStatuses, unpaid } from '../../../core/purchases/payment.ts';
import { type Learned, settled } from '../../../core/purchases/settled.ts';
import { by } from '../../support/by.ts';
import { keyNumber, newProduct, issuedAt as now } from '../../support/license-acts.ts';
import { justAdded, newOrder } from '../../support/orders.ts';
import { runs } from '../../support/runs.ts';

const price = 4990;

function orderOf(onRefund: OnRefund = 'revoke', fields: Partial<Order> = {}): Order {
  const product = { ...newProduct(), id: toProductId(7) };
  const terms = { ...product.terms, onRefund };
  return { ...newOrder({ ...product, terms }), id: toOrderId(3), ...justAdded, ...fields };
}

const amount = fc.constantFrom(0, 0, 1, 2000, price);
const payment: fc.Arbitrary<PaymentFacts> = fc.record({
  status: fc.oneof(fc.constant('paid' as const), fc.constantFrom(...paymentStatuses)),
  currency: fc.constantFrom('usd', 'usd', 'usd', 'eur'),
  subtotal: fc.constantFrom(price, price, price, price - 1),
  total: fc.constantFrom(price, price + 900, price, price - 900),
  refunded: amount,
  refundsPending: fc.constantFrom(0, 0, price),
  dispute: fc.constantFrom(null, null, ...disputeStates),
});
const learned: fc.Arbitrary<Learned> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ payment }) },
  { weight: 1, arbitrary: fc.constant({ isAccepted: true }) },
  { weight: 1, arbitrary: fc.constant({ intentId: 'intent-1' }) },
);

/** Everything that happened with an order. */
function run(all: readonly Learned[], onRefund: OnRefund = 'revoke') {
  let order = orderOf(onRefund);
  let license: License | undefined;
  const issued: NewLicense[] = [];
  const events: string[] = [];
  all.forEach((one, n) => {
    const at = now + n;
    const change = settled(order, held(license), one, { by, now: at, newKey: keyNumber(n) });
    if (change.license && 'issued' in change.license) {
      issued.push(change.license.issued);
      license = {
        ...neverActivated,
        ownerId: null,
        isLive: true,
        ...change.license.issued,
        ...own(change.license.issued),
      };
    }
    if (change.license && 'changed' in change.license) license = change.license.changed;
    order = change.after;
    events.push(...change.events.map(({ type }) => type));
    const again = settled(order, held(license), one, { by, now: at + 1, newKey: keyNumber(99) });
    expect(again, 'the same again').to.deep.equal({ after: order, events: [] });
  });
  return { order, license, issued, events };
}

const held = (license: License | undefined) => license && { license, periods: [] };
const own = ({ ownStanding = null }: NewLicense) => ({ ownStanding, daysFromActivation: null });
const worse = (one: Standing, other: Standing) => standings[Math.max(standings.indexOf(one), standings.indexOf(other))];

describe('what follows from a payment', () => {
  it('is one license, with the standing that the order has in the end, whatever became known in between', () => {
    fc.assert(
      fc.property(fc.array(learned, { maxLength: 12 }), fc.constantFrom('revoke', 'keep'), (all, onRefund) => {
        const { order, license, issued, events } = run(all, onRefund);
        const isPaid = orderTable[order.state].stage === 'paid';
        // A payment can have been soft before.
        const hasLicense = order.licenseKey !== null;
        if (isPaid || order.state === 'soft') expect(hasLicense).to.equal(true);
        expect(issued).to.have.lengthOf(hasLicense ? 1 : 0);
        expect(events.filter((type) => type === 'order.paid')).to.have.lengthOf(isPaid ? 1 : 0);
        expect(events.filter((type) => type === 'license.issued')).to.have.lengthOf(hasLicense ? 1 : 0);
        expect(order.licenseKey ?? undefined).to.equal(license?.key);
        expect(order.paidAt !== null).to.equal(isPaid);
        expect(order.state).to.equal(stateOf(order));
        const effect = effectOf(order);
        const standing = effect === 'suspended' || effect === 'revoked' ? effect : 'active';
        expect(license?.standing).to.equal(hasLicense ? worse('active', standing) : undefined);
        expect(license?.ownStanding).to.equal(hasLicense ? (effect === 'works' ? null : 'active') : undefined);
        expect(isUsable(order)).to.equal(license?.standing === 'active');
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('does not depend on the order of what became known, but on the last of it', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ payment }), { minLength: 1, maxLength: 6 }), (all) => {
        const paid = { payment: { ...unpaid(price, 'usd'), status: 'paid' } as const };
        const last = {
          payment: { ...(all.at(-1)?.payment ?? paid.payment), status: 'paid', subtotal: price, currency: 'usd' },
        } as const;
        const [one, other] = [run([paid, ...all, last]), run([paid, ...all.toReversed(), last])];
        expect(one.order.state).to.equal(other.order.state);
        expect(one.license?.standing).to.equal(other.license?.standing);
      }),
      { numRuns: runs(1_000) },
    );
  });

  const facts = (fields: Partial<PaymentFacts>): Learned => ({
    payment: { ...unpaid(price, 'usd'), status: 'paid', ...fields },
  });

  const cases: Record<string, [Learned[], OnRefund, Order['state'], Standing | undefined]> = {
    'a payment': [[facts({})], 'revoke', 'paid', 'active'],
    'a payment with tax': [[facts({ total: price + 950 })], 'revoke', 'paid', 'active'],
    'a partial refund': [[facts({}), facts({ refunded: 5 })], 'revoke', 'partly_refunded', 'active'],
    'a refund of all but the tax': [
      [facts({ total: price + 950 }), facts({ total: price + 950, refunded: price })],
      'revoke',
      'partly_refunded',
      'active',
    ],
    'a full refund': [[facts({}), facts({ refunded: price })], 'revoke', 'refunded', 'revoked'],
    'a full refund of a product that keeps licenses': [[facts({ refunded: price })], 'keep', 'refunded', 'active'],
    'a refund that failed': [[facts({ refundsPending: price }), facts({})], 'revoke', 'paid', 'active'],
    'a refund on its way': [[facts({ refundsPending: price })], 'revoke', 'refunding', 'suspended'],
    'a dispute': [[facts({ dispute: 'open' })], 'keep', 'disputed', 'suspended'],
    'a dispute that was won': [[facts({ dispute: 'open' }), facts({ dispute: 'won' })], 'revoke', 'paid', 'active'],
    'a dispute that was lost': [[facts({ dispute: 'lost' })], 'keep', 'charged_back', 'revoked'],
    'a payment that failed': [[facts({ status: 'failed' })], 'revoke', 'failed', undefined],
    'a late payment': [[facts({ status: 'expired' }), facts({})], 'revoke', 'paid', 'active'],
    'a wrong amount': [[facts({ subtotal: price - 1 })], 'revoke', 'held', undefined],
    'a total below the price': [[facts({ total: price - 1 })], 'revoke', 'held', undefined],
    'a total of nothing': [[facts({ total: 0 })], 'revoke', 'held', undefined],
    'a wrong currency': [[facts({ currency: 'eur' })], 'revoke', 'held', undefined],
    'a wrong amount that is accepted': [
      [facts({ subtotal: price - 1 }), { isAccepted: true }],
      'revoke',
      'paid',
      'active',
    ],
    'a wrong amount that is refunded': [
      [facts({ subtotal: 9, total: 9 }), facts({ subtotal: 9, total: 9, refunded: 9 })],
      'revoke',
      'cancelled',
      undefined,
    ],
    'a refund of a payment that turns out to be of another amount': [
      [facts({}), facts({ subtotal: 9, total: 9, refunded: 9 })],
      'revoke',
      'refunded',
      'revoked',
    ],
    'a soft payment': [[facts({ status: 'soft' })], 'revoke', 'soft', 'active'],
    'a soft payment that is final': [[facts({ status: 'soft' }), facts({})], 'revoke', 'paid', 'active'],
    'a soft payment that its chain takes back': [
      [facts({ status: 'soft' }), facts({ status: 'open' })],
      'keep',
      'open',
      'suspended',
    ],
    'a soft payment that its chain moves': [
      [facts({ status: 'soft' }), facts({ status: 'processing' }), facts({ status: 'soft' })],
      'revoke',
      'soft',
      'active',
    ],
    'a soft payment that never comes again': [
      [facts({ status: 'soft' }), facts({ status: 'expired' })],
      'revoke',
      'expired',
      'suspended',
    ],
    'a status that takes a payment back': [[facts({}), facts({ status: 'failed' })], 'revoke', 'paid', 'active'],
  };
  for (const [name, [all, onRefund, state, standing]] of Object.entries(cases)) {
    it(`${name}: the order is ${state}, and its license ${standing ?? 'is not issued'}`, () => {
      const { order, license } = run(all, onRefund);
      expect([order.state, license?.standing]).to.deep.equal([state, standing]);
    });
  }

  it('is nothing if the same facts come with their fields in another order', () => {
    const { order, license } = run([facts({})]);
    const turned = Object.fromEntries(Object.entries(order.payment).toReversed()) as unknown as PaymentFacts;
    expect(settled(order, held(license), { payment: turned }, { by, now, newKey: keyNumber(5) }).events).to.deep.equal(
      [],
    );
  });

  it('gives the license the terms that were agreed on, and tells who bought it', () => {
    const { issued } = run([facts({})]);
    expect(issued).to.deep.equal([
      {
        key: keyNumber(0),
        productId: 7,
        standing: 'active',
        ownStanding: null,
        maxDomains: 5,
        expiresAt: null,
        daysFromActivation: 30,
        updatesUntil: null,
        entitlements: [],
        createdAt: now,
        notes: { holder: { email: 'zoe@example.com', name: 'Zoë "Z" Łuk' }, reference: 'order 3', metadata: {} },
      },
    ]);
  });

  it('tells that the license was issued when the payment was soft, and that the order is paid when it is final', () => {
    const soft = facts({ status: 'soft' });
    expect(run([soft, facts({})]).events).to.deep.equal(['order.changed', 'license.issued', 'order.paid']);
    const { events, order, issued } = run([soft, facts({ status: 'open' }), facts({})]);
    expect(events.slice(2)).to.deep.equal(['order.changed', 'license.suspended', 'order.paid', 'license.reinstated']);
    expect([order.licenseKey, issued.length]).to.deep.equal([keyNumber(0), 1]);
  });

  it('records who accepted another amount', () => {
    expect(run([facts({ subtotal: 1 }), { isAccepted: true }]).events).to.deep.equal([
      'order.changed',
      'order.accepted',
      'order.paid',
      'license.issued',
    ]);
  });
});
