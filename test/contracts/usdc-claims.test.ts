import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import { type OrderId, toClaimId, type UserId } from '../../core/id.ts';
import { forgetUnpaidOrders, unpaidKeptFor } from '../../core/purchases/forgetting.ts';
import { unpaid } from '../../core/purchases/payment.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import { day } from '../../core/time.ts';
import { decided, type NewUsdcClaim, type UsdcClaim } from '../../core/usdc/claim.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';

const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const other = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`the store of claimed payments: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const nothing = { gone: [], added: [], settled: [] } as const;

    let amounts = 0;
    async function ordered(fields: Parameters<typeof addOrder>[2] = {}) {
      const product = await addForSale(stores, { price: 4_900, ownerId: null });
      const { id } = await addOrder(stores, product, { provider: 'usdc', paymentId: null, ...fields });
      const amount = 49_000_000 + ++amounts;
      const quote = { orderId: id, chainId: 1, address, amount, createdAt: now, endsAt: now + day } as const;
      const opened = await stores.usdc.open(quote);
      if (opened === 'amount_taken') throw new Error(opened);
      return { id, quoteId: opened.id };
    }
    /** All blocks up to this one are known. */
    async function watchedTo(cursor: number) {
      await stores.usdc.save(1, (await stores.usdc.watch(1)).revision, { ...nothing, cursor });
    }
    const claimed = (orderId: OrderId, more: Partial<NewUsdcClaim> = {}): NewUsdcClaim => ({
      ...{ orderId, chainId: 1, txHash: '0xaa', logIndex: 3, blockNumber: 2 ** 33, blockHash: '0xbb' },
      ...{ from: other, to: address, amount: 2 ** 41, sentAt: now - 5, createdAt: now, ...more },
    });
    const add = (claim: NewUsdcClaim) =>
      stores.usdcClaims.add(
        claim,
        () => ({ event: event('order.payment_claimed', String(claim.orderId), by, now, {}) }),
        () => ({}),
      );
    async function added(claim: NewUsdcClaim): Promise<UsdcClaim> {
      const one = await add(claim);
      if (typeof one === 'string' || isRefused(one)) throw new Error(JSON.stringify(one));
      return one;
    }
    const decide = (claim: UsdcClaim, verdict: Parameters<typeof decided>[1]) =>
      stores.usdcClaims.change(claim.id, now, (before) => decided(before, verdict, by, now + 9));
    const reject = { kind: 'reject', reason: 'Not "this"' } as const;
    const take = { kind: 'take' } as const;

    itLong('keeps a claim with all its facts, its order and its event', async () => {
      const { id } = await ordered();
      await watchedTo(2 ** 33);
      const claim = await added(claimed(id));
      expect(claim).to.deep.equal({
        ...claimed(id),
        ...{ id: claim.id, state: 'open', reason: null, decidedAt: null },
      });
      expect(await stores.usdcClaims.ofOrder(id)).to.deep.equal([claim]);
      const found = must(await stores.usdcClaims.find(claim.id));
      expect([found.claim, found.order.id]).to.deep.equal([claim, id]);
      expect(await stores.usdcClaims.find(toClaimId(2 ** 40))).to.equal(undefined);
      expect(
        (await stores.audit.list({ type: 'order.payment_claimed', limit: 9 })).map(({ subject }) => subject),
      ).to.include(String(id));
    });

    itLong(
      'gives a transfer to one order at a time, also if several ask at once, and never twice to the same',
      async () => {
        const orders = [await ordered(), await ordered(), await ordered()];
        await watchedTo(2 ** 33);
        const all = await Promise.all(orders.map(({ id }) => add(claimed(id))));
        expect(all.filter((one) => one === 'claimed')).to.have.length(2);
        const [one] = all.flatMap((claim) => (typeof claim === 'string' || isRefused(claim) ? [] : [claim]));
        const winner = must(one);
        expect(await stores.usdcClaims.usedLogs(1, '0xaa', must(orders[0]).id)).to.deep.equal([3]);
        expect(await decide(winner, reject)).to.include({
          state: 'rejected',
          reason: 'Not "this"',
          decidedAt: now + 9,
        });
        const next = must(orders.find(({ id }) => id !== winner.orderId));
        expect(await stores.usdcClaims.usedLogs(1, '0xaa', next.id)).to.deep.equal([]);
        expect(await stores.usdcClaims.usedLogs(1, '0xaa', winner.orderId), 'rejected for it').to.deep.equal([3]);
        expect(await add(claimed(winner.orderId)), 'a person has decided').to.equal('claimed');
        expect(await add(claimed(next.id))).to.include({ state: 'open' });
        expect(await add(claimed(next.id, { logIndex: 4 }))).to.include({ logIndex: 4 });
      },
    );

    it('takes no claim as long as a block can bring a payment by itself, of what counts, or that is refused', async () => {
      const { id, quoteId } = await ordered();
      expect(await add(claimed(id)), 'nobody has looked').to.equal('not_watched_yet');
      await watchedTo(2 ** 33 - 1);
      expect(await add(claimed(id))).to.equal('not_watched_yet');
      const { revision } = await stores.usdc.watch(1);
      const { orderId: _, chainId: __, sentAt: ___, createdAt: ____, ...transfer } = claimed(id);
      const paid = { ...transfer, logIndex: 7, quoteId, isFinal: true, isSoft: false };
      await stores.usdc.save(1, revision, { ...nothing, cursor: 2 ** 33, added: [paid] });
      expect(await add(claimed(id, { logIndex: 7 }))).to.equal('counted');
      expect(await stores.usdcClaims.usedLogs(1, '0xaa', id)).to.deep.equal([7]);
      const refused = await stores.usdcClaims.add(
        claimed(id),
        () => refuse('no'),
        () => ({}),
      );
      expect(refused).to.include({ reason: 'no' });
      expect(await stores.usdcClaims.ofOrder(id)).to.deep.equal([]);
      // If nobody waits for a payment, nothing can come by itself.
      await stores.usdc.release(1, now + day + 1);
      expect(await add(claimed(id))).to.include({ state: 'open' });
    });

    it('counts what is taken as a final payment of its order, once, and tells the order', async () => {
      const [one, two] = [await ordered(), await ordered()];
      await watchedTo(2 ** 33);
      const claim = await added(claimed(one.id));
      const both = await Promise.all([decide(claim, take), decide(claim, reject)]);
      expect(both.filter((done) => typeof done === 'object' && isRefused(done))).to.have.length(1);
      // Either can be the first.
      const isTaken = must(await stores.usdcClaims.find(claim.id)).claim.state === 'taken';
      expect((await stores.usdc.ofOrder(one.id)).transfers).to.have.length(isTaken ? 1 : 0);
      expect((await stores.usdc.untold(1)).map(({ orderId }) => orderId)).to.deep.equal(isTaken ? [one.id] : []);
      expect(typeof (await add(claimed(two.id)))).to.equal(isTaken ? 'string' : 'object');
    });

    it('takes a claim: the transfer is there, as the look at the chain would store it', async () => {
      const { id, quoteId } = await ordered();
      await watchedTo(2 ** 33);
      const claim = await added(claimed(id));
      expect(await decide(claim, take)).to.include({ state: 'taken', reason: null });
      expect(await decide(claim, take)).to.include({ reason: 'claim_decided' });
      const { orderId: _, chainId: __, sentAt: ___, createdAt: ____, ...transfer } = claimed(id);
      const stored = { ...transfer, quoteId, isFinal: true, isSoft: false };
      expect((await stores.usdc.ofOrder(id)).transfers).to.deep.equal([stored]);
      expect((await stores.usdc.watch(1)).pending).to.deep.equal([]);
      // A look that finds it all the same does not count it twice.
      const { revision } = await stores.usdc.watch(1);
      await stores.usdc.save(1, revision, { ...nothing, cursor: 2 ** 33 + 1, added: [stored] });
      expect((await stores.usdc.ofOrder(id)).transfers).to.deep.equal([stored]);
      const work = await stores.work.claim({ now: now + day, until: now + 2 * day, most: 9, kinds: ['usdc'] });
      expect(work.map(({ subjectId }) => subjectId)).to.include(1);
    });

    it('does not take what a look at the chain has counted meanwhile', async () => {
      const [one, two] = [await ordered(), await ordered()];
      await watchedTo(2 ** 33);
      const claim = await added(claimed(one.id));
      const { orderId: _, chainId: __, sentAt: ___, createdAt: ____, ...transfer } = claimed(one.id);
      const { revision } = await stores.usdc.watch(1);
      const paid = { ...transfer, quoteId: two.quoteId, isFinal: true, isSoft: false };
      await stores.usdc.save(1, revision, { ...nothing, cursor: 2 ** 33 + 1, added: [paid] });
      expect(await decide(claim, take)).to.equal('counted');
      expect(must(await stores.usdcClaims.find(claim.id)).claim.state).to.equal('open');
      expect(await decide(claim, reject)).to.include({ state: 'rejected' });
    });

    itLong('lists the claims of a mode, of a seller and in a state, newest first, in pages', async () => {
      const [one, two] = [await ordered(), await ordered()];
      await watchedTo(2 ** 33);
      const first = await added(claimed(one.id));
      const second = await added(claimed(two.id, { txHash: '0xcc' }));
      const idsOf = async (filter: Partial<Parameters<typeof stores.usdcClaims.list>[0]>) =>
        (await stores.usdcClaims.list({ isLive: true, limit: 9, ...filter })).map(({ claim }) => claim.id);
      expect((await idsOf({})).slice(0, 2)).to.deep.equal([second.id, first.id]);
      expect(await idsOf({ limit: 1 })).to.deep.equal([second.id]);
      expect((await idsOf({ before: second.id }))[0]).to.equal(first.id);
      expect(await idsOf({ isLive: false })).to.deep.equal([]);
      expect(await idsOf({ sellerId: 999_999 as UserId })).to.deep.equal([]);
      await decide(second, reject);
      expect(await idsOf({ state: 'open' })).to.not.include(second.id);
      expect((await idsOf({ state: 'rejected' }))[0]).to.equal(second.id);
    });

    itLong('keeps an unpaid order as long as a claim of it is open', async () => {
      const { id } = await ordered({ payment: { ...unpaid(4_900, 'usd'), status: 'expired' }, state: 'expired' });
      await watchedTo(2 ** 33);
      const claim = await added(claimed(id));
      const clock = { now: () => now + unpaidKeptFor + day };
      await forgetUnpaidOrders(stores.orders, clock);
      expect((await stores.orders.find(id))?.id).to.equal(id);
      await decide(claim, reject);
      await forgetUnpaidOrders(stores.orders, clock);
      expect(await stores.orders.find(id)).to.equal(undefined);
      expect(await stores.usdcClaims.ofOrder(id)).to.deep.equal([]);
    });
  });
}
