import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { createIssuing } from '../../core/licensing/issuing.ts';
import { plainTransitions, type Standing, standings, transit } from '../../core/licensing/license.ts';
import type { KnownPayment } from '../../core/ports/payments.ts';
import { effectOf, orderTable, stateOf } from '../../core/purchases/order.ts';
import { isRefused } from '../../core/refusal.ts';
import { openForAll } from '../support/backends.ts';
import { operator } from '../support/by.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder, createBank, settleOn } from '../support/orders.ts';
import { runs } from '../support/runs.ts';
import { sharedBackends } from '../support/shared-backends.ts';

const price = 4990;

/** The events that can happen at the bank. Each returns the changed facts, or `undefined` if it cannot happen now. */
const happenings = {
  pay: ({ status }) => (status === 'paid' ? undefined : { status: 'paid' }),
  'pay too little': ({ status }) => (status === 'paid' ? undefined : { status: 'paid', subtotal: price - 1 }),
  wait: ({ status }) => (status === 'paid' ? undefined : { status: 'processing' }),
  fail: ({ status }) => (status === 'paid' ? undefined : { status: 'failed' }),
  'refund a part': ({ status, refunded }) =>
    status === 'paid' && refunded + 2000 <= price ? { refunded: refunded + 2000 } : undefined,
  'refund all': ({ status }) => (status === 'paid' ? { refunded: price, refundsPending: 0 } : undefined),
  'begin a refund': ({ status, refunded }) =>
    status === 'paid' && refunded === 0 ? { refundsPending: price } : undefined,
  'fail the refund': ({ refundsPending }) => (refundsPending > 0 ? { refundsPending: 0 } : undefined),
  dispute: ({ status, dispute }) => (status === 'paid' && dispute === null ? { dispute: 'open' } : undefined),
  win: ({ dispute }) => (dispute === 'open' ? { dispute: 'won' } : undefined),
  lose: ({ dispute }) => (dispute === 'open' ? { dispute: 'lost' } : undefined),
} satisfies Record<string, (truth: KnownPayment) => Partial<KnownPayment> | undefined>;
const names = Object.keys(happenings) as (keyof typeof happenings)[];

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('bank' as const), what: fc.constantFrom(...names) }) },
  // Which of the events that wait is delivered, and how often.
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('deliver' as const),
      which: fc.nat({ max: 5 }),
      times: fc.constantFrom(1, 1, 2, 4),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('people' as const), act: fc.constantFrom(...plainTransitions) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
);
const paid: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[] = [
  { kind: 'bank', what: 'pay' },
  { kind: 'deliver', which: 0, times: 2 },
  { kind: 'wait' },
];

for (const backend of sharedBackends) {
  describe(`orders whose payments change: ${backend.name}`, () => {
    const stores = openForAll(backend);
    let count = 0;

    it('end as the bank says, and licenses as the bank and people say, with each thing told once', async () => {
      const steps = fc.array(step, { minLength: 5, maxLength: 30 });
      const delays = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 9 });
      await fc.assert(
        fc.asyncProperty(
          fc.boolean(),
          steps,
          delays,
          fc.constantFrom('revoke', 'keep'),
          async (isPaid, more, turns, onRefund) => {
            const n = ++count;
            const bank = createBank();
            let asked = 0;
            bank.delays = () => turns[asked++ % turns.length] ?? 0;
            const settle = settleOn(stores, bank);
            const product = await addForSale(stores, { slug: `jar-${n}`, price });
            const terms = { ...product.terms, onRefund } as const;
            const email = `buyer${n}@example.com`;
            const order = await addOrder(stores, { ...product, terms }, { buyer: { userId: null, email, name: null } });
            bank.set(order, {});
            const issuing = createIssuing({
              store: stores.licenses,
              imports: stores.imports,
              products: stores.products,
              clock: createManualClock(now),
              secrets: systemSecrets,
            });

            let waiting = 0;
            const running: Promise<unknown>[] = [];
            const deliver = () => {
              waiting--;
              running.push(settle(order.id));
            };
            let own: Standing = 'active';
            for (const one of isPaid ? [...paid, ...more] : more) {
              switch (one.kind) {
                case 'bank': {
                  const change = happenings[one.what](bank.truthOf(order)) as Partial<KnownPayment> | undefined;
                  if (change === undefined) break;
                  bank.set(order, change);
                  waiting++;
                  break;
                }
                case 'deliver':
                  // Any of them: an event only says that there is something new.
                  if (one.which < waiting) deliver();
                  for (let again = 1; again < one.times; again++) running.push(settle(order.id));
                  break;
                case 'people': {
                  const key = (await stores.orders.find(order.id))?.licenseKey;
                  const license = key && (await stores.licenses.find(key))?.license;
                  if (!license) break;
                  const alone = transit({ ...license, standing: own, ownStanding: null }, one.act, now);
                  const answer = await issuing.change(license.key, one.act, operator);
                  expect(isRefused(answer)).to.equal(isRefused(alone));
                  if (!isRefused(alone)) own = alone.standing;
                  break;
                }
                case 'wait':
                  await Promise.all(running.splice(0));
              }
            }
            while (waiting > 0) deliver();
            await Promise.all(running);

            const after = must(await stores.orders.find(order.id));
            const { intentId, buyer: _, subscriptionId: _none, billing: _address, ...truth } = bank.truthOf(order);
            const state = stateOf({ ...after, payment: truth });
            expect(after.payment).to.deep.equal(truth);
            expect(after.state).to.equal(state);
            const wasPaid = orderTable[state].stage === 'paid';
            const licenses = await stores.licenses.list({ productId: product.id, limit: 9 });
            const effect = effectOf(after);
            const withheld = effect === 'suspended' || effect === 'revoked' ? effect : 'active';
            const worst = must(standings[Math.max(standings.indexOf(own), standings.indexOf(withheld))]);
            expect(licenses.map(({ key, standing }) => [key, standing])).to.deep.equal(
              wasPaid ? [[after.licenseKey, worst]] : [],
            );

            const events = (await stores.audit.list({ subject: String(order.id), limit: 99 })).toReversed();
            const of = (type: string) => events.filter((event) => event.type === type);
            const mails = (await stores.mails.list({ address: email, limit: 99 })).map(({ kind }) => kind);
            const told = (kind: string) => mails.filter((one) => one === kind).length;
            expect([of('order.paid').length, told('order-paid')]).to.deep.equal(wasPaid ? [1, 1] : [0, 0]);
            const refunds = of('order.refunded').map(({ data }) => Number(data.refunded));
            expect(refunds).to.deep.equal([...new Set(refunds)].toSorted((one, other) => one - other));
            expect(refunds.at(-1) ?? 0).to.equal(wasPaid ? truth.refunded : 0);
            // The refund of a held order is told to its buyer too.
            const amounts = new Set(events.map(({ data }) => Number(data.refunded)).filter((amount) => amount > 0));
            expect(told('order-refunded')).to.equal(amounts.size);
            const disputes = of('order.disputed').map(({ data }) => data.dispute);
            expect(disputes).to.deep.equal([...new Set(disputes)]);
            expect(disputes.at(-1) ?? null).to.equal(wasPaid ? truth.dispute : null);
            expect(told('order-disputed')).to.equal(disputes.length);
            // Each event says the state after it. One that stays is told no second time.
            const states = ['open', ...events.map(({ data }) => String(data.state))];
            const entered = states.slice(1).flatMap((to, n) => (to === states[n] ? [] : [[states[n], to]]));
            expect(told('order-processing')).to.equal(entered.filter(([, to]) => to === 'processing').length);
            expect(told('order-held')).to.equal(entered.filter(([, to]) => to === 'held').length);
            const lost = entered.filter(
              ([from, to]) => from === 'processing' && ['failed', 'expired', 'cancelled'].includes(to ?? ''),
            );
            expect(told('order-unpaid')).to.equal(lost.length);
            expect(after.number !== null).to.equal(wasPaid);
          },
        ),
        { numRuns: runs(150) },
      );
    });
  });
}
