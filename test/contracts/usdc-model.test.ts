import { expect } from 'chai';
import fc from 'fast-check';
import { effectOf } from '../../core/purchases/order.ts';
import { day, minute } from '../../core/time.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { withoutRefund } from '../../core/usdc/sent-back.ts';
import { cent, lateFor } from '../../core/usdc/usdc-quote.ts';
import { backends, openForEach } from '../support/backends.ts';
import { must } from '../support/license-acts.ts';
import type { Move } from '../support/model-chain.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { buyer, fake, move, openUsdcMarket, seller, softBlocks, usdc } from '../support/usdc-market.ts';

/** The third order is above the limit: its license waits until its payment is final. */
const prices = [4_900, 4_900, 6_000];
const limit = 5_000;
const order = fc.nat(prices.length - 1);
const kind = <const Kind extends string>(name: Kind) => fc.constant(name);

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: kind('pay'), order, how: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('look'), times: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('pass'), blocks: fc.constantFrom(1, 3, softBlocks, 40) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind('reorganize'), depth: fc.constantFrom(1, 2, 4, 20, 50), kept: fc.nat(15) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('finalize'), open: fc.constantFrom(0, 3, softBlocks, 30) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('send back'), from: order, order, how: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('enter'), order, which: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('rpc'), isDown: fc.boolean(), lag: fc.nat(3) }) },
  // Nothing disturbs for a while: so most runs see payments that are soft.
  { weight: 4, arbitrary: fc.record({ kind: kind('calm') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('crash'), does: fc.boolean() }) },
);

const standingOf = { none: undefined, works: 'active', suspended: 'suspended', revoked: 'revoked' } as const;

async function unlessDown(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return false;
  }
}

for (const backend of backends) {
  describe(`payments in USDC, against a model that knows the true chain: ${backend.name}`, () => {
    const stores = openForEach(backend);

    itLong('no key without money, no money without a key or a visible reason, nothing twice', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 30 }), async (steps) => {
          const market = await openUsdcMarket(stores, { prices, limit });
          const { model, clock, look, asked, store, orderNow, end } = market;
          let [isDown, lag, crashes] = [false, 0, false];
          const sent: string[] = [];

          // Each order has digits of its own in its amounts.
          const cameFor = (n: number, moves: readonly Move[]) =>
            moves
              .filter((one) => one.token === usdc && one.to === seller)
              .filter(({ amount }) => amount % cent === must(asked[n]).amount % cent)
              .map(({ amount }) => amount);
          const sumFor = (n: number, moves: readonly Move[]) => cameFor(n, moves).reduce((sum, one) => sum + one, 0);

          /** `isFresh`: an undisturbed look at the chain has just ended. */
          const check = async (isFresh: boolean) => {
            for (const [n, { id, amount }] of asked.entries()) {
              const now = await orderNow(n);
              const isDear = must(prices[n]) > limit;
              expect((await market.keyOf(n))?.standing, 'the license').to.equal(standingOf[effectOf(now)]);
              if (now.licenseKey !== null && now.paidAt === null) expect(isDear, 'a key too early').to.equal(false);
              const final = sumFor(n, model.moves('final'));
              if (now.paidAt !== null) expect(final, 'a key without money').to.be.at.least(amount - cent);
              if (!isFresh) continue;
              const { sentBack } = await store.ofOrder(id);
              const takenAway = sentBack.reduce((sum, one) => sum + withoutRefund(one), 0);
              const deep = Math.max(sumFor(n, model.moves(model.head() - softBlocks)), final) - final;
              const counts = Math.max(0, final - takenAway) + deep >= amount - cent;
              if (now.state === 'soft') expect(counts, 'a soft key without money').to.equal(true);
              else if (!isDear && counts) expect(now.paidAt, 'deep money without a key').to.not.equal(null);
            }
          };

          for (const one of steps) {
            clock.advance(1_000);
            let isFresh = false;
            switch (one.kind) {
              case 'pay': {
                const { amount } = must(asked[one.order]);
                const how = [
                  [move(amount)],
                  [move(amount - 200 * cent)],
                  [move(amount + 300 * cent)],
                  [move(amount, { token: fake }), move(1_234 * cent)],
                  [move(amount - 2_000 * cent), move(amount - 1_000 * cent)],
                ][one.how];
                model.mine(clock.now(), how ?? []);
                break;
              }
              case 'look': {
                const looks = Array.from({ length: one.times }, () => unlessDown(look()));
                const ended = (await Promise.all(looks)).every(Boolean);
                isFresh = ended && one.times === 1 && !isDown && lag === 0 && !crashes;
                break;
              }
              case 'calm':
                [isDown, lag, crashes] = [false, 0, false];
                model.rpc({});
                market.crash(false);
                market.pass(softBlocks);
                await look();
                isFresh = true;
                break;
              case 'pass':
                market.pass(one.blocks);
                break;
              case 'reorganize':
                model.reorganize(one.depth, clock.now(), (index) => ((one.kept >> (index % 4)) & 1) === 1);
                break;
              case 'finalize':
                model.finalize(one.open);
                break;
              case 'send back': {
                const { amount } = must(asked[one.from]);
                const back = must([amount, amount - 200 * cent, 300 * cent, 1_000 * cent][one.how]);
                sent.push(...model.mine(clock.now(), [move(back, { from: seller, to: buyer })]));
                await unlessDown(market.enter(one.order, must(sent.at(-1))));
                break;
              }
              case 'enter': {
                const hash = sent.at(-1 - one.which);
                if (hash !== undefined) await unlessDown(market.enter(one.order, hash));
                break;
              }
              case 'rpc':
                ({ isDown, lag } = one);
                model.rpc(one);
                break;
              case 'crash':
                crashes = one.does;
                market.crash(crashes);
            }
            await check(isFresh);
          }
          await end();
          await check(true);

          const counted: string[] = [];
          for (const [n, { id, amount }] of asked.entries()) {
            const { transfers, sentBack } = await store.ofOrder(id);
            const came = cameFor(n, model.moves());
            expect(transfers.map((one) => one.amount).sort(), 'what is shown').to.deep.equal(came.sort());
            expect([...transfers, ...sentBack].every(({ isFinal }) => isFinal)).to.equal(true);
            counted.push(...sentBack.map(({ txHash }) => txHash));
            const now = await orderNow(n);
            const { refunded, refundsPending, total } = now.payment;
            expect([refunded, refundsPending]).to.deep.equal([sentBack.reduce((sum, one) => sum + one.refund, 0), 0]);
            const kept = sumFor(n, model.moves()) - sentBack.reduce((sum, one) => sum + withoutRefund(one), 0);
            if (now.paidAt === null) {
              expect(now.state, 'without a key').to.equal('open');
              expect(kept, 'money without a key').to.be.below(amount - cent);
            } else {
              const refund = refunded === total ? 'refunded' : 'partly_refunded';
              expect(now.state).to.equal(refunded === 0 ? 'paid' : refund);
            }
            const events = (await stores.audit.list({ subject: String(id), limit: 99 })).map(({ type }) => type);
            expect(events.filter((type) => type === 'order.paid').length).to.equal(now.paidAt === null ? 0 : 1);
            const licenses = await stores.licenses.list({ productId: now.productId, limit: 9 });
            expect(licenses.map(({ key }) => key)).to.deep.equal(now.licenseKey === null ? [] : [now.licenseKey]);
          }
          expect(new Set(counted).size, 'sent back once').to.equal(counted.length);
          expect(model.hashes()).to.include.members(counted);

          // The next run has its amounts for itself.
          clock.advance(day + lateFor + minute);
          model.mine(clock.now());
          model.finalize(0);
          await look();
          await look();
        }),
        { numRuns: runs(60) },
      );
    });
  });
}
