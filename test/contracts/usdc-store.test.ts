import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { OrderId } from '../../core/id.ts';
import type { StoredTransfer } from '../../core/ports/usdc-store.ts';
import { forgetUnpaidOrders, unpaidKeptFor } from '../../core/purchases/forgetting.ts';
import { unpaid } from '../../core/purchases/payment.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import { day } from '../../core/time.ts';
import type { SentBack } from '../../core/usdc/sent-back.ts';
import type { NewUsdcQuote } from '../../core/usdc/usdc-quote.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { keyNumber, must, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder, newOrder } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';

const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const other = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`the store of payments in USDC: ${backend.name}`, () => {
    const stores = openForEach(backend);

    async function addUnpaid(fields: Parameters<typeof addOrder>[2] = {}): Promise<OrderId> {
      const product = await addForSale(stores, { price: 4_900, ownerId: null });
      return (await addOrder(stores, product, { provider: 'usdc', paymentId: null, ...fields })).id;
    }
    const quote = (orderId: OrderId, more: Partial<NewUsdcQuote> = {}): NewUsdcQuote => ({
      ...{ orderId, chainId: 1, address, amount: 49_000_001, createdAt: now, endsAt: now + day, ...more },
    });
    const open = async (...given: Parameters<typeof quote>) => {
      const opened = await stores.usdc.open(quote(...given));
      return opened === 'amount_taken' ? opened : must(opened);
    };
    const transfer = (quoteId: number, more: Partial<StoredTransfer> = {}): StoredTransfer => ({
      ...{ txHash: '0xaa', logIndex: 3, blockNumber: 7, blockHash: '0xbb', from: other, to: address },
      ...{ amount: 2_000_000_000_000, quoteId, isFinal: false, isSoft: false, ...more },
    });
    const nothing = { gone: [], added: [], settled: [] } as const;

    it('keeps a quote with all its facts, one for each order and chain', async () => {
      const id = await addUnpaid();
      const first = await open(id);
      expect(first).to.deep.include(quote(id));
      expect(await open(id, { amount: 49_000_002 })).to.deep.equal(first);
      const second = await open(id, { chainId: 10 });
      expect(await stores.usdc.ofOrder(id)).to.deep.equal({ quotes: [first, second], transfers: [], sentBack: [] });
    });

    it('gives an amount of an address and chain to one quote, also if many ask at once', async () => {
      const ids = [await addUnpaid(), await addUnpaid(), await addUnpaid()];
      const opened = await Promise.all(ids.map((id) => open(id)));
      expect(opened.filter((one) => one === 'amount_taken')).to.have.length(2);
      const id = await addUnpaid();
      expect(await open(id)).to.equal('amount_taken');
      expect(await open(id, { chainId: 10 })).to.not.equal('amount_taken');
      expect(await open(id, { address: other })).to.not.equal('amount_taken');
    });

    it('gives the amount free again after the time', async () => {
      const [one, two] = [await addUnpaid(), await addUnpaid()];
      await open(one);
      await stores.usdc.release(1, now + day);
      expect(await open(two)).to.equal('amount_taken');
      await stores.usdc.release(1, now + day + 1);
      expect(await open(two)).to.not.equal('amount_taken');
      expect((await stores.usdc.watch(1)).held.map(({ orderId }) => orderId)).to.deep.equal([two]);
    });

    it('adds the work of watching the chain, which nobody loses', async () => {
      const claim = async () =>
        (await stores.work.claim({ now, until: now + day, most: 9, kinds: ['usdc'] })).map(
          ({ subjectId }) => subjectId,
        );
      await open(await addUnpaid());
      expect(await claim()).to.deep.equal([1]);
      // The one who has claimed it may have looked before this quote.
      await open(await addUnpaid(), { amount: 49_000_009 });
      expect(await claim()).to.deep.equal([1]);
    });

    it('saves what a look has found, once for each revision', async () => {
      const id = await addUnpaid();
      const { id: quoteId } = must(await open(id)) as { id: number };
      const before = await stores.usdc.watch(1);
      expect(before).to.deep.include({ revision: 0, cursor: undefined, pending: [] });
      const added = [transfer(quoteId), transfer(quoteId, { logIndex: 4, amount: 5 })];
      const save = () => stores.usdc.save(1, before.revision, { ...nothing, cursor: 5_000_000_000, added });
      expect((await Promise.all([save(), save()])).sort()).to.deep.equal([false, true]);
      const after = await stores.usdc.watch(1);
      expect(after).to.deep.include({ revision: 1, cursor: 5_000_000_000, pending: added });
      expect(must(after.held[0]).received).to.equal(2_000_000_000_005);
      expect((await stores.usdc.ofOrder(id)).transfers).to.deep.equal(added);
    });

    it('removes what is gone and not final, and marks what is final', async () => {
      const id = await addUnpaid();
      const { id: quoteId } = must(await open(id)) as { id: number };
      const [one, two] = [transfer(quoteId), transfer(quoteId, { logIndex: 4 })];
      await stores.usdc.save(1, 0, { ...nothing, cursor: 1, added: [one, two] });
      const moved = { ...one, blockHash: '0xcc', blockNumber: 8 };
      await stores.usdc.save(1, 1, { cursor: 2, gone: [one], settled: [two], added: [moved] });
      expect((await stores.usdc.ofOrder(id)).transfers).to.deep.equal([{ ...two, isFinal: true }, moved]);
      expect((await stores.usdc.watch(1)).pending).to.deep.equal([moved]);
    });

    it('marks what is soft, also when it moves to another block, and keeps that when it is final', async () => {
      const id = await addUnpaid();
      const { id: quoteId } = must(await open(id)) as { id: number };
      const [one, two] = [transfer(quoteId), transfer(quoteId, { logIndex: 4, isSoft: true })];
      await stores.usdc.save(1, 0, { ...nothing, cursor: 1, added: [one, two] });
      await stores.usdc.save(1, 1, { ...nothing, cursor: 1, softened: [one] });
      const soft = [{ ...one, isSoft: true }, two];
      expect((await stores.usdc.ofOrder(id)).transfers).to.deep.equal(soft);
      expect((await stores.usdc.watch(1)).pending).to.deep.equal(soft);
      expect(await stores.usdc.untold(1)).to.deep.equal([{ quoteId, orderId: id, changes: 2 }]);
      const moved = { ...two, blockHash: '0xcc', blockNumber: 8, isSoft: false };
      // It is stored in its new block before it is known to be gone from the old one.
      await stores.usdc.save(1, 2, { ...nothing, cursor: 1, added: [moved], settled: [one] });
      await stores.usdc.save(1, 3, { ...nothing, cursor: 1, gone: [two], softened: [two] });
      expect((await stores.usdc.ofOrder(id)).transfers).to.deep.equal([{ ...one, isSoft: true, isFinal: true }, moved]);
    });

    it('keeps a bundle of which a part has a license, also if nothing comes for it any more', async () => {
      const fields = { payment: { ...unpaid(4_900, 'usd'), status: 'expired' }, state: 'expired' } as const;
      const product = await addForSale(stores, { price: 4_900, ownerId: null });
      const bundle = newOrder(product, { provider: 'usdc', paymentId: null, ...fields });
      const { partOf: _, ...part } = newOrder(product, { provider: 'usdc', paymentId: null, ...fields });
      const [none, some] = [
        await stores.orders.add(bundle, event('order.added', product.slug, by, now), now, { parts: [part] }),
        await stores.orders.add({ ...bundle, token: 'other' }, event('order.added', product.slug, by, now), now, {
          parts: [{ ...part, token: 'other-part', licenseKey: keyNumber(7) }],
        }),
      ];
      if (isRefused(none) || isRefused(some)) throw new Error('An order was refused.');
      const clock = { now: () => now + unpaidKeptFor + day };
      expect(await forgetUnpaidOrders(stores.orders, clock)).to.equal(1);
      expect([await stores.orders.find(none.id), (await stores.orders.find(some.id))?.id]).to.deep.equal([
        undefined,
        some.id,
      ]);
    });

    it('keeps what was sent back: once, for one order, and with the work of watching it', async () => {
      const [one, two] = [await addUnpaid(), await addUnpaid()];
      for (const [id, amount] of [[one, 49_000_001] as const, [two, 49_000_002] as const]) {
        const { id: quoteId } = must(await open(id, { amount })) as { id: number };
        const { revision } = await stores.usdc.watch(1);
        await stores.usdc.save(1, revision, {
          ...nothing,
          cursor: 1,
          added: [transfer(quoteId, { txHash: `0x${id}` })],
        });
      }
      const back = (orderId: OrderId): SentBack => ({
        ...{ txHash: '0xee', logIndex: 1, blockNumber: 2 ** 33, blockHash: '0xbb', from: address, to: other },
        ...{ amount: 1_000_000_000_000, refund: 7, orderId, chainId: 1, isFinal: false },
      });
      const send = (id: OrderId) => stores.usdc.sendBack(id, now, () => ({ sentBack: back(id) }));
      const both = await Promise.all([send(one), send(two)]);
      expect(both.filter((done) => done === 'counted')).to.have.length(1);
      const winner = both[0] === 'counted' ? two : one;
      expect((await stores.usdc.ofOrder(winner)).sentBack).to.deep.equal([back(winner)]);
      expect(await stores.usdc.sendBack(one, now, () => refuse('no'))).to.include({ reason: 'no' });
      const watch = await stores.usdc.watch(1);
      expect(watch.sentBack).to.deep.equal([back(winner)]);
      // What refunds nothing counts as if it had never come.
      const received = must(watch.held.find(({ orderId }) => orderId === winner)).received;
      expect(received).to.equal(2_000_000_000_000 - (1_000_000_000_000 - 7 * 10_000));
      const after = { ...back(winner), blockNumber: 2 ** 33 + 1, blockHash: '0xcc', logIndex: 4 };
      const moved = [{ before: back(winner), after }];
      await stores.usdc.save(1, watch.revision, { ...nothing, cursor: 2, sentBack: moved });
      expect((await stores.usdc.ofOrder(winner)).sentBack).to.deep.equal([after]);
      expect((await stores.usdc.untold(1)).some(({ orderId }) => orderId === winner)).to.equal(true);
      const final = [{ before: after, after: { ...after, isFinal: true } }];
      await stores.usdc.save(1, watch.revision + 1, { ...nothing, cursor: 3, sentBack: final });
      expect((await stores.usdc.watch(1)).sentBack).to.deep.equal([]);
      // What is final stays.
      const gone = [{ before: { ...after, isFinal: true }, after: undefined }];
      await stores.usdc.save(1, watch.revision + 2, { ...nothing, cursor: 4, sentBack: gone });
      expect((await stores.usdc.ofOrder(winner)).sentBack).to.have.length(1);
    });

    it('counts no transfer as a payment and as sent back, and keeps all that a reorganization has renumbered', async () => {
      const id = await addUnpaid();
      const { id: quoteId } = must(await open(id)) as { id: number };
      const payment = transfer(quoteId);
      await stores.usdc.save(1, 0, { ...nothing, cursor: 1, added: [payment] });
      const back = (logIndex: number, more: Partial<SentBack> = {}): SentBack => ({
        ...{ txHash: '0xee', logIndex, blockNumber: 8, blockHash: '0xbb', from: address, to: other },
        ...{ amount: 20_000, refund: 2, orderId: id, chainId: 1, isFinal: false, ...more },
      });
      const send = (sentBack: SentBack) => stores.usdc.sendBack(id, now, () => ({ sentBack }));
      expect(await send(back(payment.logIndex, { txHash: payment.txHash }))).to.equal('counted');
      const [first, second] = [back(5), back(6)];
      for (const one of [first, second]) expect(await send(one)).to.deep.equal(one);
      // The same transaction in another block, before a look knows that it has moved.
      expect(await send(back(7, { blockHash: '0xcc' }))).to.equal('counted');
      const moved = [first, second].map((before) => ({
        before,
        after: { ...before, logIndex: before.logIndex + 1, blockHash: '0xcc' },
      }));
      const { revision } = await stores.usdc.watch(1);
      const paying = transfer(quoteId, { txHash: '0xee', logIndex: 6 });
      await stores.usdc.save(1, revision, { ...nothing, cursor: 2, sentBack: moved, added: [paying] });
      const { sentBack, transfers } = await stores.usdc.ofOrder(id);
      expect(sentBack.map(({ logIndex }) => logIndex)).to.deep.equal([6, 7]);
      expect(transfers).to.deep.equal([payment]);
    });

    itLong(
      'removes an entry of what was sent back until it is final, and the watcher does not bring it back',
      async () => {
        const id = await addUnpaid();
        const { id: quoteId } = must(await open(id)) as { id: number };
        await stores.usdc.save(1, 0, { ...nothing, cursor: 1, added: [transfer(quoteId)] });
        const back = (txHash: string, isFinal = false): SentBack => ({
          ...{ txHash, logIndex: 5, blockNumber: 8, blockHash: '0xbb', from: address, to: other },
          ...{ amount: 20_000, refund: 2, orderId: id, chainId: 1, isFinal },
        });
        for (const one of [back('0xee'), back('0xff', true)])
          await stores.usdc.sendBack(id, now, () => ({ sentBack: one }));
        const undo = (hash: string, of = id) =>
          stores.usdc.undoSentBack(of, hash, event('order.return_undone', String(of), by, now, { transaction: hash }));
        expect(await undo('0xff')).to.equal('final');
        expect(await undo('0xdd')).to.equal(undefined);
        expect(await undo('0xee', await addUnpaid())).to.equal(undefined);
        const [first, second] = await Promise.all([undo('0xee'), undo('0xee')]);
        expect([first, second].filter((done) => done === 'undone')).to.have.length(1);
        const { revision } = await stores.usdc.watch(1);
        const sentBack = [{ before: back('0xee'), after: back('0xee', true) }];
        await stores.usdc.save(1, revision, { ...nothing, cursor: 9, sentBack });
        expect((await stores.usdc.ofOrder(id)).sentBack).to.deep.equal([back('0xff', true)]);
        expect(await stores.audit.list({ type: 'order.return_undone', subject: String(id), limit: 9 })).to.have.length(
          1,
        );
      },
    );

    it('says which orders do not know of a change yet', async () => {
      const id = await addUnpaid();
      const { id: quoteId } = must(await open(id)) as { id: number };
      expect(await stores.usdc.untold(1)).to.deep.equal([]);
      await stores.usdc.save(1, 0, { ...nothing, cursor: 1, added: [transfer(quoteId)] });
      const [untold] = await stores.usdc.untold(1);
      expect(untold).to.deep.equal({ quoteId, orderId: id, changes: 1 });
      await stores.usdc.save(1, 1, { ...nothing, cursor: 1, settled: [transfer(quoteId)] });
      // It was told the first change only.
      await stores.usdc.tell(must(untold));
      expect(await stores.usdc.untold(1)).to.deep.equal([{ quoteId, orderId: id, changes: 2 }]);
      await stores.usdc.tell({ ...must(untold), changes: 2 });
      await stores.usdc.tell(must(untold));
      expect(await stores.usdc.untold(1)).to.deep.equal([]);
    });

    it('forgets how far a chain is known when nobody waits', async () => {
      await open(await addUnpaid());
      await stores.usdc.save(1, 0, { ...nothing, cursor: 9 });
      await stores.usdc.release(1, now);
      expect((await stores.usdc.watch(1)).cursor).to.equal(9);
      await stores.usdc.release(1, now + day + 1);
      expect(await stores.usdc.watch(1)).to.deep.include({ cursor: undefined, held: [] });
      expect(await stores.usdc.save(1, 1, { ...nothing, cursor: 10 })).to.equal(false);
    });

    it('keeps an unpaid order for which something has come, and no other', async () => {
      const fields = { payment: { ...unpaid(4_900, 'usd'), status: 'expired' }, state: 'expired' } as const;
      const [none, some] = [await addUnpaid(fields), await addUnpaid(fields)];
      await open(none);
      const { id: quoteId } = must(await open(some, { amount: 49_000_002 })) as { id: number };
      await stores.usdc.save(1, 0, { ...nothing, cursor: 1, added: [transfer(quoteId)] });
      const clock = { now: () => now + unpaidKeptFor + day };
      expect(await forgetUnpaidOrders(stores.orders, clock)).to.equal(1);
      expect([await stores.orders.find(none), (await stores.orders.find(some))?.id]).to.deep.equal([undefined, some]);
      expect((await stores.usdc.ofOrder(none)).quotes).to.deep.equal([]);
    });
  });
}
