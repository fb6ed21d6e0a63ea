import { expect } from 'chai';
import fc from 'fast-check';
import { toOrderId, toProductId } from '../../../core/id.ts';
import type { License } from '../../../core/licensing/license.ts';
import { defaultTerms, type OnRefund } from '../../../core/marketplace/product-terms.ts';
import type { OrderChange } from '../../../core/ports/order-store.ts';
import { inBundle, newParts } from '../../../core/purchases/new-order.ts';
import { effectOf, type Order, orderTable } from '../../../core/purchases/order.ts';
import { isRefunding, linesOf, paymentsOfParts, refundsOfParts, withRefunds } from '../../../core/purchases/parts.ts';
import { type PaymentFacts, refundable, refundOf, unpaid } from '../../../core/purchases/payment.ts';
import { type Learned, settled, settledParts } from '../../../core/purchases/settled.ts';
import { isRefused } from '../../../core/refusal.ts';
import { by } from '../../support/by.ts';
import { keyNumber, must, newProduct, issuedAt as now } from '../../support/license-acts.ts';
import { justAdded } from '../../support/orders.ts';
import { runs } from '../../support/runs.ts';
import { stripeOrder } from '../../support/stripe-order.ts';

/** An order of a bundle with its parts and their licenses, in memory. */
class World {
  order: Order;
  parts: Order[];
  readonly licenses = new Map<number, License>();
  private keys = 0;

  constructor(price: number, inside: readonly { readonly price: number; readonly onRefund: OnRefund }[]) {
    const contents = inside.map(({ price, onRefund }, index) => ({
      offer: null,
      currency: 'usd',
      product: {
        ...newProduct({ title: `Part ${index}`, price, terms: { ...defaultTerms, onRefund } }),
        id: toProductId(index + 1),
      },
    }));
    const blank = stripeOrder(now);
    const agreed = { ...blank.agreed, price, ...inBundle(price, 'usd', contents) };
    this.order = { ...blank, agreed, payment: unpaid(price, 'usd') };
    this.parts = newParts(this.order, contents, () => `token-${++this.keys}`).map((part, index) => ({
      ...part,
      ...{ id: toOrderId(100 + index), partOf: this.order.id, ...justAdded },
    }));
  }

  learn(learned: Learned): void {
    const telling = { by, now, newKey: keyNumber(9_999) };
    const change = settled(this.order, undefined, learned, telling);
    expect(change.license).to.equal(undefined);
    this.order = change.after;
    if (change.events.length === 0) return;
    const decide = settledParts(by, now, () => keyNumber(++this.keys));
    this.parts = this.parts.map((part) => {
      const license = this.licenses.get(part.id);
      const decided = decide(this.order, part, license && { license, periods: [] });
      this.save(part, decided);
      return decided.after;
    });
  }

  private save({ id }: Order, { license }: OrderChange): void {
    if (license === undefined) return;
    if ('changed' in license) this.licenses.set(id, license.changed);
    else this.licenses.set(id, { ...license.issued, domainsUsed: 0, id: id } as unknown as License);
  }

  check(): void {
    const { agreed, payment, state, licenseKey } = this.order;
    const sumOf = (of: (part: Order) => number) => this.parts.reduce((sum, part) => sum + of(part), 0);
    expect(sumOf(({ agreed }) => agreed.price)).to.equal(agreed.price);
    expect(linesOf(this.order).reduce((sum, { price }) => sum + price, 0)).to.equal(agreed.price);
    expect(licenseKey).to.equal(null);
    expect(this.parts.every(({ number, paymentId }) => number === null && paymentId === null)).to.equal(true);
    const isPaid = orderTable[state].stage === 'paid';
    for (const part of this.parts) {
      const license = this.licenses.get(part.id);
      expect(orderTable[part.state].stage === 'paid').to.equal(isPaid, part.state);
      expect(part.licenseKey !== null).to.equal(isPaid);
      if (!isPaid) continue;
      const standing = { works: 'active', suspended: 'suspended', revoked: 'revoked', none: 'none' }[effectOf(part)];
      expect(must(license).standing).to.equal(standing, `${state} ${part.state}`);
      const isBack = refundOf(payment) === 'made' || payment.refundedParts?.includes(part.productId) === true;
      const taken = part.agreed.terms.onRefund === 'keep' ? 'active' : isBack ? 'revoked' : 'suspended';
      const isTaken = isBack || isRefunding(payment, part.productId);
      const isDisputed = payment.dispute === 'open' && !isBack;
      const expected = payment.dispute === 'lost' ? 'revoked' : isDisputed ? 'suspended' : isTaken ? taken : 'active';
      expect(standing, state).to.equal(expected);
    }
    if (!isPaid) return;
    // Money is in the order once: what its parts say is how it is divided.
    const { total, refunded, refundsPending } = payment;
    expect(sumOf(({ payment }) => payment.total)).to.equal(total);
    expect(sumOf(({ payment }) => payment.refunded)).to.equal(refunded);
    expect(sumOf(({ payment }) => payment.refundsPending)).to.equal(refundsPending);
    for (const { payment } of this.parts) {
      expect(payment.refunded + payment.refundsPending <= payment.total).to.equal(true);
    }
    // Money that is paid back goes first to the parts that are refunded as a whole.
    const isShort = this.parts.some(({ payment }) => payment.refund === 'made' && payment.refunded < payment.total);
    const others = this.parts.filter(({ payment }) => payment.refund !== 'made');
    if (isShort) expect(others.every(({ payment }) => payment.refunded === 0)).to.equal(true);
  }
}

type Step =
  | { readonly kind: 'pay'; readonly tax: number; readonly isWrong: boolean }
  | { readonly kind: 'accept' }
  | { readonly kind: 'amount'; readonly percent: number; readonly isPending: boolean }
  | { readonly kind: 'parts'; readonly which: readonly number[]; readonly isPending: boolean }
  | { readonly kind: 'pending'; readonly isMade: boolean }
  | { readonly kind: 'dispute'; readonly is: 'open' | 'won' | 'lost' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('pay' as const), tax: fc.nat({ max: 900 }), isWrong: fc.boolean() }),
  fc.record({ kind: fc.constant('accept' as const) }),
  fc.record({
    kind: fc.constant('amount' as const),
    percent: fc.constantFrom(1, 10, 50, 99, 100),
    isPending: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('parts' as const),
    which: fc.array(fc.nat({ max: 19 }), { minLength: 1, maxLength: 5 }),
    isPending: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('pending' as const), isMade: fc.boolean() }),
  fc.record({ kind: fc.constant('dispute' as const), is: fc.constantFrom('open', 'won', 'lost') }),
);

/** The refunds at the provider. The facts of the payment are computed from them, as Stripe's adapter does. */
interface Refund {
  readonly amount: number;
  readonly product?: Order['productId'];
  isPending: boolean;
}

describe('the history of an order of a bundle', () => {
  it('keeps the sums of its parts, and their licenses follow from the payment and their own refunds', () => {
    const inside = fc.record({
      price: fc.constantFrom(0, 1, 499, 4_900, 99_999),
      onRefund: fc.constantFrom('revoke' as const, 'keep' as const),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99_999 }),
        fc.array(inside, { minLength: 2, maxLength: 20 }),
        fc.array(step, { maxLength: 14 }),
        (price, inside, steps) => {
          const world = new World(price, inside);
          let refunds: Refund[] = [];
          let paid = unpaid(price, 'usd');
          const facts = (): PaymentFacts => {
            const sum = (isPending: boolean) =>
              refunds.reduce((all, one) => all + (one.isPending === isPending ? one.amount : 0), 0);
            const products = (isPending: boolean) =>
              refunds.flatMap((one) => (one.isPending === isPending && one.product ? [one.product] : []));
            const [made, underway] = [products(false).sort((a, b) => a - b), products(true).sort((a, b) => a - b)];
            return {
              ...{ ...paid, refunded: sum(false), refundsPending: sum(true) },
              ...(made.length > 0 && { refundedParts: made }),
              ...(underway.length > 0 && { refundingParts: underway }),
            };
          };
          world.check();
          for (const one of steps) {
            const left = refundable(facts());
            if (one.kind === 'pay' && paid.status !== 'paid') {
              const subtotal = one.isWrong ? price + 1 : price;
              paid = { ...paid, status: 'paid', subtotal, total: subtotal + one.tax };
            } else if (one.kind === 'accept' && world.order.state === 'held') {
              world.learn({ isAccepted: true });
            } else if (one.kind === 'amount' && left > 0) {
              refunds.push({ amount: Math.ceil((left * one.percent) / 100), isPending: one.isPending });
            } else if (one.kind === 'parts') {
              const chosen = world.parts.filter((_, index) => one.which.includes(index));
              const wanted = refundsOfParts(world.order, chosen);
              if (!isRefused(wanted)) {
                expect(withRefunds(world.order.payment, wanted).refunded <= world.order.payment.total).to.equal(true);
                refunds.push(
                  ...wanted.map((refund) => ({ ...refund, product: refund.productId, isPending: one.isPending })),
                );
              }
            } else if (one.kind === 'pending') {
              refunds = one.isMade
                ? refunds.map((refund) => ({ ...refund, isPending: false }))
                : refunds.filter(({ isPending }) => !isPending);
            } else if (one.kind === 'dispute' && paid.status === 'paid') {
              paid = { ...paid, dispute: one.is };
            }
            world.learn({ payment: facts() });
            world.check();
          }
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it('divides a partial refund of an amount over all parts, and takes no license', () => {
    const world = new World(1_000, [
      { price: 3_000, onRefund: 'revoke' },
      { price: 1_000, onRefund: 'revoke' },
    ]);
    world.learn({ payment: { ...unpaid(1_000, 'usd'), status: 'paid', refunded: 999 } });
    expect(paymentsOfParts(world.order).map(({ refunded }) => refunded)).to.deep.equal([749, 250]);
    expect(world.parts.map(({ state }) => state)).to.deep.equal(['partly_refunded', 'partly_refunded']);
    world.check();
  });

  it('gives the rest of a share to its part although an amount that was on its way has failed', () => {
    const inside = { price: 1_000, onRefund: 'revoke' } as const;
    const world = new World(2_000, [inside, inside]);
    const paid: PaymentFacts = { ...unpaid(2_000, 'usd'), status: 'paid' };
    world.learn({ payment: { ...paid, refundsPending: 400 } });
    const wanted = refundsOfParts(world.order, [must(world.parts[0])]);
    expect(wanted).to.deep.equal([{ productId: 1, amount: 800 }]);
    const rest = { refunded: 800, refundedParts: [toProductId(1)] };
    world.learn({ payment: { ...paid, ...rest, refundsPending: 400 } });
    world.check();
    expect(world.parts.map(({ payment }) => payment.refundsPending)).to.deep.equal([200, 200]);
    world.learn({ payment: { ...paid, ...rest } });
    world.check();
    expect(world.parts.map(({ state, payment }) => [state, payment.refunded])).to.deep.equal([
      ['refunded', 800],
      ['paid', 0],
    ]);
  });

  it('says why a part cannot be refunded: it is refunded already, or nothing was paid for it', () => {
    const world = new World(1_000, [
      { price: 3_000, onRefund: 'revoke' },
      { price: 0, onRefund: 'revoke' },
      { price: 1_000, onRefund: 'revoke' },
    ]);
    const [first, free] = world.parts;
    world.learn({ payment: { ...unpaid(1_000, 'usd'), status: 'paid', total: 1_100 } });
    const wanted = refundsOfParts(world.order, [must(first)]);
    expect(wanted).to.deep.equal([{ productId: 1, amount: 825 }]);
    if (isRefused(wanted)) return;
    world.learn({ payment: withRefunds(world.order.payment, wanted) });
    world.check();
    expect(world.parts.map(({ state }) => state)).to.deep.equal(['refunded', 'paid', 'paid']);
    expect(refundsOfParts(world.order, [must(first)])).to.include({ detail: '“Part 0” is refunded already.' });
    expect(refundsOfParts(world.order, [must(free)])).to.include({
      detail: 'Nothing can be refunded for “Part 1”.',
    });
  });
});
