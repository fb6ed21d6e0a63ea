import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { knownChains } from '../../core/deployments/chains.ts';
import type { OrderId } from '../../core/id.ts';
import { waitsUntil } from '../../core/purchases/lapse.ts';
import { createLearn, createSettleOrder } from '../../core/purchases/settle.ts';
import { day, minute } from '../../core/time.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { createTellUsdcOrder } from '../../core/usdc/telling.ts';
import { cent, lateFor } from '../../core/usdc/usdc-quote.ts';
import { watchUsdc } from '../../core/usdc/watching.ts';
import { backends, openForEach } from '../support/backends.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { createModelChain, type Move } from '../support/model-chain.ts';
import { addForSale, addOrder, orderPorts } from '../support/orders.ts';
import { runs } from '../support/runs.ts';

const chainId = 84_532;
const usdc = must(knownChains.get(chainId)).usdc.toLowerCase();
const fake = '0x00000000000000000000000000000000000fa4e0';
const seller = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const other = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const buyer = '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb';
const price = 4_900;

for (const backend of backends) {
  describe(`payments in USDC: ${backend.name}`, () => {
    const stores = openForEach(backend);

    /** Two processes that watch one chain, and orders that wait for their payment. */
    async function market(orders = 1) {
      const clock = createManualClock(now);
      const model = createModelChain(now - minute);
      const ports = orderPorts(stores, undefined, clock);
      const store = stores.usdc;
      const tell = createTellUsdcOrder({ orders: stores.orders, store, learn: createLearn(ports), clock });
      let crashes = false;
      const process = watchUsdc({
        ...{ store, clock, chains: { get: () => model.chain } },
        async tell(id) {
          if (crashes) throw new Unavailable('The process ends here.');
          return await tell(id);
        },
      });
      const work = { id: 1, kind: 'usdc', subjectId: chainId, attempt: 1 } as const;
      const look = async () => await process(work, { aborted: false } as never);
      const product = await addForSale(stores, { price, ownerId: null });
      const asked: { readonly id: OrderId; readonly amount: number }[] = [];
      for (let n = 0; n < orders; n++) {
        const fields = { provider: 'usdc', paymentId: null, createdAt: now, updatedAt: now } as const;
        const order = await addOrder(stores, product, fields);
        const amount = price * cent + 5 + 37 * n;
        await store.open({
          ...{ orderId: order.id, chainId, address: seller, amount, createdAt: now, endsAt: waitsUntil(order) },
        });
        asked.push({ id: order.id, amount });
      }
      const settle = createSettleOrder(ports);
      return {
        ...{ clock, model, store, look, asked, settle },
        pay: (...amounts: readonly number[]) =>
          model.mine(
            clock.now(),
            amounts.map((amount) => move(amount)),
          ),
        stateOf: async (n = 0) => must(await stores.orders.find(must(asked[n]).id)).state,
        receivedBy: async (n = 0) =>
          (await store.ofOrder(must(asked[n]).id)).transfers.map(({ amount, isFinal }) => [amount, isFinal]),
        /** Looks until all that is in the chain is final and known. */
        async end() {
          crashes = false;
          model.rpc({});
          model.finalize(0);
          await look();
          await look();
        },
        crash(does: boolean) {
          crashes = does;
        },
      };
    }
    const move = (amount: number, more: Partial<Move> = {}): Move => ({
      ...{ token: usdc, from: buyer, to: seller, amount },
      ...more,
    });

    it('are seen, then final: only then the license is issued', async () => {
      const { model, look, pay, stateOf, asked, receivedBy } = await market();
      const [{ amount, id }] = asked as [{ amount: number; id: OrderId }];
      await look();
      expect(await stateOf()).to.equal('open');
      pay(amount);
      await look();
      expect([await stateOf(), await receivedBy()]).to.deep.equal(['processing', [[amount, false]]]);
      expect((await stores.orders.find(id))?.licenseKey).to.equal(null);
      model.finalize(0);
      await look();
      expect([await stateOf(), await receivedBy()]).to.deep.equal(['paid', [[amount, true]]]);
      expect((await stores.orders.find(id))?.licenseKey).to.not.equal(null);
    });

    it('are taken back by a reorganization, and come again with the same transaction in another block', async () => {
      const { model, clock, look, pay, stateOf, asked, receivedBy, end } = await market();
      const { amount } = must(asked[0]);
      pay(amount);
      await look();
      model.reorganize(1, clock.now(), () => false);
      await look();
      expect([await stateOf(), await receivedBy()]).to.deep.equal(['open', []]);
      pay(amount);
      await look();
      model.reorganize(1, clock.now(), () => true);
      await look();
      expect([await stateOf(), await receivedBy()]).to.deep.equal(['processing', [[amount, false]]]);
      await end();
      expect([await stateOf(), await receivedBy()]).to.deep.equal(['paid', [[amount, true]]]);
    });

    it('tell two orders of one price apart, also in one transaction', async () => {
      const { pay, asked, stateOf, end } = await market(3);
      pay(must(asked[2]).amount, must(asked[0]).amount);
      await end();
      expect([await stateOf(0), await stateOf(1), await stateOf(2)]).to.deep.equal(['paid', 'open', 'paid']);
    });

    it('do not guess if two orders could be meant, and take the only one that could', async () => {
      const both = await market(2);
      both.pay(price * cent);
      await both.end();
      expect([await both.stateOf(0), await both.stateOf(1)]).to.deep.equal(['open', 'open']);
      const { pay, end, stateOf } = await market(1);
      // The former two orders are for the same address, and still wait.
      pay(price * cent);
      await end();
      expect(await stateOf()).to.equal('open');
    });

    it('are enough if they are short by at most a cent, and not if by more', async () => {
      const { pay, asked, stateOf, end, receivedBy } = await market();
      const { amount } = must(asked[0]);
      pay(amount - 100 * cent);
      await end();
      expect([await stateOf(), await receivedBy()]).to.deep.equal(['open', [[amount - 100 * cent, true]]]);
      pay(99 * cent);
      await end();
      expect(await stateOf()).to.equal('paid');
    });

    it('are taken if they are too much, or come twice', async () => {
      const { pay, asked, stateOf, end, receivedBy } = await market();
      const { amount } = must(asked[0]);
      pay(amount + 500 * cent);
      await end();
      expect(await stateOf()).to.equal('paid');
      pay(amount);
      await end();
      expect(await receivedBy()).to.have.length(2);
    });

    it('count for a week after the end of the order, and then no more', async () => {
      const { pay, asked, stateOf, end, clock, settle, look } = await market(2);
      await look();
      clock.advance(day);
      for (const { id } of asked) await settle(id);
      expect([await stateOf(0), await stateOf(1)]).to.deep.equal(['expired', 'expired']);
      clock.advance(lateFor - minute);
      pay(must(asked[0]).amount);
      await end();
      expect(await stateOf(0)).to.equal('paid');
      clock.advance(2 * minute);
      pay(must(asked[1]).amount);
      await end();
      expect(await stateOf(1)).to.equal('expired');
    });

    it('ignore what was paid before they were asked for, other tokens, other addresses, dust and what never left', async () => {
      const { model, asked, stateOf, end, clock } = await market();
      const { amount } = must(asked[0]);
      model.mine(now - 2 * minute, [move(amount)]);
      const wrong = [move(amount, { token: fake }), move(amount, { to: other }), move(0), move(amount % cent)];
      model.mine(clock.now(), wrong, [move(amount, { from: seller })]);
      await end();
      expect(await stateOf()).to.equal('open');
    });

    it('are told to the order after a process has ended between both', async () => {
      const { pay, asked, stateOf, look, crash, end, receivedBy, model } = await market();
      pay(must(asked[0]).amount);
      model.finalize(0);
      crash(true);
      let error: unknown;
      await look().catch((thrown) => {
        error = thrown;
      });
      expect(error).to.be.an.instanceOf(Unavailable);
      expect([await stateOf(), (await receivedBy()).length]).to.deep.equal(['open', 1]);
      crash(false);
      await end();
      expect(await stateOf()).to.equal('paid');
    });

    it('are stored once if two processes see them at the same time', async () => {
      const { pay, asked, look, receivedBy, model } = await market();
      pay(must(asked[0]).amount);
      model.finalize(0);
      await Promise.all([look(), look(), look()]);
      expect(await receivedBy()).to.have.length(1);
    });

    it('that are not of this world end the watching, and a new order begins it again', async () => {
      const { look, clock, asked, pay, stateOf, end, store, model } = await market();
      await look();
      clock.advance(day + lateFor + minute);
      const product = await addForSale(stores, { price, ownerId: null });
      const fields = { provider: 'usdc', paymentId: null, createdAt: clock.now(), updatedAt: clock.now() } as const;
      const order = await addOrder(stores, product, fields);
      const { amount } = must(asked[0]);
      const sameAmount = { orderId: order.id, chainId, address: seller, amount, createdAt: clock.now() } as const;
      // Nothing is given free by the clock alone: what is in blocks that nobody has searched still counts.
      model.rpc({ isDown: true });
      await look().catch(() => undefined);
      model.rpc({});
      await look();
      expect(await store.open({ ...sameAmount, endsAt: clock.now() + day })).to.equal('amount_taken');
      pay();
      model.finalize(0);
      await look();
      expect(await look()).to.equal('watched');
      // The amount is free again.
      expect(await store.open({ ...sameAmount, endsAt: clock.now() + day })).to.include({ amount });
      pay(amount);
      await end();
      expect([await stateOf(), (await stores.orders.find(order.id))?.state]).to.deep.equal(['open', 'paid']);
    });

    it('and random faults: no key without money, no money without a key or a visible reason, nothing twice', async function () {
      this.timeout(300_000);
      const step = fc.oneof(
        { weight: 4, arbitrary: fc.record({ kind: fc.constant('pay' as const), order: fc.nat(2), how: fc.nat(4) }) },
        {
          weight: 3,
          arbitrary: fc.record({ kind: fc.constant('look' as const), times: fc.integer({ min: 1, max: 2 }) }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constant('reorganize' as const),
            depth: fc.integer({ min: 1, max: 4 }),
            kept: fc.nat(15),
          }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('finalize' as const), open: fc.nat(3) }) },
        {
          weight: 2,
          arbitrary: fc.record({ kind: fc.constant('rpc' as const), isDown: fc.boolean(), lag: fc.nat(3) }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), does: fc.boolean() }) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
          const { model, clock, look, asked, end, crash, store } = await market(3);
          // Each order has an address of its own in its amount: nothing of one run is taken for another.
          const paidFor = (moves: readonly Move[]) =>
            asked.map(({ amount }) =>
              moves
                .filter((one) => one.token === usdc && one.to === seller && one.amount % cent === amount % cent)
                .map((one) => one.amount),
            );
          const check = async () => {
            const final = paidFor(model.moves('final'));
            for (const [n, { id, amount }] of asked.entries()) {
              const order = must(await stores.orders.find(id));
              const sum = (final[n] ?? []).reduce((all, one) => all + one, 0);
              if (order.state === 'paid') expect(sum, 'a key without money').to.be.at.least(amount - cent);
            }
          };
          for (const one of steps) {
            clock.advance(1_000);
            if (one.kind === 'pay') {
              const { amount } = must(asked[one.order]);
              const noise = move(1_234 * cent);
              const how = [
                [move(amount)],
                [move(amount - 200 * cent)],
                [move(amount + 300 * cent)],
                [move(amount, { token: fake }), noise],
                [move(amount - 2_000 * cent), move(amount - 1_000 * cent)],
              ][one.how];
              model.mine(clock.now(), how ?? []);
            } else if (one.kind === 'look') {
              const looks = Array.from({ length: one.times }, () =>
                look().catch((error) => {
                  if (!(error instanceof Unavailable)) throw error;
                }),
              );
              await Promise.all(looks);
            } else if (one.kind === 'reorganize') {
              model.reorganize(one.depth, clock.now(), (index) => ((one.kept >> (index % 4)) & 1) === 1);
            } else if (one.kind === 'finalize') model.finalize(one.open);
            else if (one.kind === 'rpc') model.rpc(one);
            else crash(one.does);
            await check();
          }
          await end();
          await check();
          const truth = paidFor(model.moves());
          for (const [n, { id, amount }] of asked.entries()) {
            const { transfers } = await store.ofOrder(id);
            const came = truth[n] ?? [];
            const sum = came.reduce((all, one) => all + one, 0);
            expect(transfers.map((one) => one.amount).sort(), 'what is shown').to.deep.equal([...came].sort());
            expect(transfers.every(({ isFinal }) => isFinal)).to.equal(true);
            const { state } = must(await stores.orders.find(id));
            expect(state, 'money without a key').to.equal(sum >= amount - cent ? 'paid' : 'open');
          }
          // The next run has its amounts for itself.
          clock.advance(day + lateFor + minute);
          model.mine(clock.now());
          model.finalize(0);
          await look();
          await look();
        }),
        { numRuns: runs(40) },
      );
    });
  });
}
