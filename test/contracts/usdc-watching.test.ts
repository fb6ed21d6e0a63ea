import { expect } from 'chai';
import type { OrderId } from '../../core/id.ts';
import { createLearn } from '../../core/purchases/settle.ts';
import { isRefused } from '../../core/refusal.ts';
import { day, minute } from '../../core/time.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { cent, lateFor } from '../../core/usdc/usdc-quote.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder, orderPorts } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { chainId, fake, move, openUsdcMarket, seller, softBlocks } from '../support/usdc-market.ts';

const other = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const price = 4_900;

for (const backend of backends) {
  describe(`payments in USDC: ${backend.name}`, () => {
    const stores = openForEach(backend);

    const market = (orders = 1, limit?: number) => openUsdcMarket(stores, { prices: Array(orders).fill(price), limit });
    /** The events of an order since it was made. */
    const told = async (id: OrderId) =>
      (await stores.audit.list({ subject: String(id), limit: 9 })).map(({ type }) => type).toReversed();
    itLong('are seen, then final: only then the license is issued', async () => {
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

    itLong(
      'are soft after some blocks: then the license is issued, and the order is paid when they are final',
      async () => {
        const { look, pay, pass, stateOf, asked, keyOf, end } = await market();
        const { amount, id } = must(asked[0]);
        await look();
        pay(amount);
        pass(softBlocks - 1);
        await look();
        expect([await stateOf(), await keyOf()]).to.deep.equal(['processing', undefined]);
        pass(1);
        await look();
        const issued = must(await keyOf());
        expect([await stateOf(), issued.standing]).to.deep.equal(['soft', 'active']);
        const soft = must(await stores.orders.find(id));
        expect([soft.paidAt, soft.number]).to.deep.equal([null, null]);
        expect(await told(id)).to.deep.equal(['order.changed', 'order.changed']);
        await end();
        expect([await stateOf(), await keyOf()]).to.deep.equal(['paid', issued]);
        expect(must(await stores.orders.find(id)).number).to.not.equal(null);
        expect(await told(id)).to.deep.equal(['order.changed', 'order.changed', 'order.paid']);
      },
    );

    it('are soft at once if they are found so deep', async () => {
      const { look, pay, pass, stateOf, asked } = await market();
      pay(must(asked[0]).amount);
      pass(softBlocks);
      await look();
      expect(await stateOf()).to.equal('soft');
    });

    itLong(
      'are taken back by a reorganization when they are soft: the license waits, and works again with the same key',
      async () => {
        const { model, clock, look, pay, pass, stateOf, asked, keyOf, end } = await market(2);
        await look();
        pay(must(asked[0]).amount);
        pay(must(asked[1]).amount);
        pass(softBlocks);
        await look();
        const issued = must(await keyOf());
        // The second payment comes again at once, in a newer block.
        model.reorganize(softBlocks + 2, clock.now(), (index) => index === 1);
        pass(1);
        await look();
        expect([await stateOf(0), await keyOf(0)]).to.deep.equal(['open', { ...issued, standing: 'suspended' }]);
        expect([await stateOf(1), must(await keyOf(1)).standing]).to.deep.equal(['soft', 'active']);
        model.reorganize(softBlocks, clock.now(), () => true);
        pay(must(asked[0]).amount);
        await look();
        expect([await stateOf(0), must(await keyOf(0)).standing]).to.deep.equal(['processing', 'suspended']);
        pass(softBlocks);
        await look();
        expect([await stateOf(0), await keyOf(0)]).to.deep.equal(['soft', issued]);
        await end();
        expect([await stateOf(0), await keyOf(0)]).to.deep.equal(['paid', issued]);
      },
    );

    itLong(
      'that are taken back after the day of the order end it, and it is paid all the same if they come late',
      async () => {
        const { model, clock, look, pay, pass, stateOf, asked, keyOf, end } = await market();
        await look();
        pay(must(asked[0]).amount);
        pass(softBlocks);
        await look();
        const issued = must(await keyOf());
        clock.advance(day);
        model.reorganize(softBlocks + 1, clock.now(), () => false);
        await look();
        expect([await stateOf(), must(await keyOf()).standing]).to.deep.equal(['expired', 'suspended']);
        pay(must(asked[0]).amount);
        await end();
        expect([await stateOf(), await keyOf()]).to.deep.equal(['paid', issued]);
      },
    );

    itLong(
      'are not soft above the limit of the operator, without a second RPC, and if only a part is so deep',
      async () => {
        const dear = await market(1, price - 1);
        dear.pay(must(dear.asked[0]).amount);
        dear.pass(softBlocks);
        await dear.look();
        expect([await dear.stateOf(), await dear.keyOf()]).to.deep.equal(['processing', undefined]);
        await dear.end();
        expect(await dear.stateOf()).to.equal('paid');
        dear.clock.advance(day + lateFor + minute);
        dear.pay();
        await dear.end();

        const alone = await market();
        alone.model.witness(false);
        alone.pay(must(alone.asked[0]).amount);
        alone.pass(softBlocks);
        await alone.look();
        expect([await alone.stateOf(), await alone.keyOf()]).to.deep.equal(['processing', undefined]);
        alone.model.witness(true);
        await alone.look();
        expect(await alone.stateOf()).to.equal('soft');
        await alone.end();
        alone.clock.advance(day + lateFor + minute);
        alone.pay();
        await alone.end();

        const parted = await market();
        const { amount } = must(parted.asked[0]);
        parted.pay(amount - 100 * cent);
        parted.pass(softBlocks);
        parted.pay(100 * cent + 5);
        await parted.look();
        expect(await parted.stateOf()).to.equal('processing');
        parted.pass(softBlocks);
        await parted.look();
        expect(await parted.stateOf()).to.equal('soft');
      },
    );

    itLong('that renew a license are not soft: it changes when they are final', async () => {
      const { look, pass, model, clock, store, end } = await market(0);
      const product = await addForSale(stores, { price, ownerId: null });
      const first = await addOrder(stores, product, { provider: 'free', paymentId: null });
      const learn = createLearn(orderPorts(stores, undefined, clock));
      const paid = must(await learn(first.id, ({ payment }) => ({ payment: { ...payment, status: 'paid' } }), by));
      if (isRefused(paid) || paid.licenseKey === null) throw new Error('No license was issued.');
      const made = { provider: 'usdc', paymentId: null, createdAt: now, updatedAt: now } as const;
      const renewal = await addOrder(stores, product, { ...made, renews: paid.licenseKey });
      const amount = price * cent + 77;
      await store.open({ orderId: renewal.id, chainId, address: seller, amount, createdAt: now, endsAt: now + day });
      model.mine(clock.now(), [move(amount)]);
      pass(softBlocks);
      await look();
      expect(must(await stores.orders.find(renewal.id)).state).to.equal('processing');
      await end();
      expect(must(await stores.orders.find(renewal.id)).state).to.equal('paid');
    });

    itLong(
      'are taken back by a reorganization, and come again with the same transaction in another block',
      async () => {
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
      },
    );

    itLong('tell two orders of one price apart, also in one transaction', async () => {
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

    itLong('are enough if they are short by at most a cent, and not if by more', async () => {
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

    itLong('count for a week after the end of the order, and then no more', async () => {
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

    itLong('that are not of this world end the watching, and a new order begins it again', async () => {
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
  });
}
