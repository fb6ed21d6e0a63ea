import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { OrderId } from '../../core/id.ts';
import { unpaid } from '../../core/purchases/payment.ts';
import { day } from '../../core/time.ts';
import type { SentBack } from '../../core/usdc/sent-back.ts';
import { cent } from '../../core/usdc/usdc-quote.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder } from '../support/orders.ts';
import { sharedBackends } from '../support/shared-backends.ts';

const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const other = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const price = 4_900;

for (const backend of [...backends, ...sharedBackends]) {
  describe(`what is sent back in USDC refunds after another entry has gone: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const nothing = { gone: [], added: [], settled: [] } as const;

    /** An order that was paid twice, and for which these transfers back are entered: what was too much, and the price. */
    async function paidTwice(more: readonly Partial<SentBack>[] = [{ refund: 0 }, { refund: price }]) {
      const product = await addForSale(stores, { price, ownerId: null });
      const payment = { ...unpaid(price, 'usd'), status: 'paid' } as const;
      const { id } = await addOrder(stores, product, { provider: 'usdc', paymentId: null, payment, state: 'paid' });
      const amount = price * cent + id;
      const opened = await stores.usdc.open({
        ...{ orderId: id, chainId: 1, address, amount, createdAt: now, endsAt: now + day },
      });
      if (opened === 'amount_taken') throw new Error(opened);
      const moved = { logIndex: 3, blockNumber: 7, blockHash: '0xbb', amount: price * cent };
      const paid = { ...moved, from: other, to: address, quoteId: opened.id, isFinal: true, isSoft: false } as const;
      await stores.usdc.save(1, (await stores.usdc.watch(1)).revision, {
        ...{ ...nothing, cursor: 7 },
        added: [
          { ...paid, txHash: `0x1${id}`, amount },
          { ...paid, txHash: `0x2${id}` },
        ],
      });
      for (const [n, one] of more.entries()) {
        const back = { ...moved, txHash: `0xa${n}`, blockNumber: 8 + n, from: address, to: other } as const;
        const sentBack = { ...back, orderId: id, chainId: 1, refund: 0, isFinal: false, ...one } as const;
        await stores.usdc.sendBack(id, now, () => ({ sentBack }));
      }
      return id;
    }
    const undo = async (id: OrderId, hash: string) =>
      await stores.usdc.undoSentBack(id, hash, event('order.return_undone', String(id), by, now, {}));
    const backOf = async (id: OrderId) =>
      (await stores.usdc.ofOrder(id)).sentBack.map(({ txHash, refund, isFinal }) => [txHash, refund, isFinal]);

    it('is counted again if what was too much is undone: the other one gives that back now', async () => {
      const id = await paidTwice();
      expect(await undo(id, '0xa0')).to.equal('undone');
      expect(await backOf(id)).to.deep.equal([['0xa1', 0, false]]);
    });

    it('stays if the refund itself is undone', async () => {
      const id = await paidTwice();
      expect(await undo(id, '0xa1')).to.equal('undone');
      expect(await backOf(id)).to.deep.equal([['0xa0', 0, false]]);
    });

    it('is counted again if a reorganization removes what was too much, also in the look that finds the rest final', async () => {
      const id = await paidTwice();
      const { revision, sentBack } = await stores.usdc.watch(1);
      const changed = sentBack.map((before) => ({
        before,
        after: before.txHash === '0xa0' ? undefined : { ...before, isFinal: true },
      }));
      await stores.usdc.save(1, revision, { ...nothing, cursor: 9, sentBack: changed });
      expect(await backOf(id)).to.deep.equal([['0xa1', 0, true]]);
    });

    it('is not taken from a look that began before an entry was undone', async () => {
      const id = await paidTwice();
      const { revision, sentBack } = await stores.usdc.watch(1);
      await undo(id, '0xa0');
      const changed = sentBack.map((before) => ({ before, after: { ...before, isFinal: true } }));
      await stores.usdc.save(1, revision, { ...nothing, cursor: 9, sentBack: changed });
      expect(await backOf(id)).to.deep.equal([['0xa1', 0, true]]);
    });

    it('keeps what was too much if a final refund depends on it, and takes back what no other one needs', async () => {
      const id = await paidTwice([{ refund: 0 }, { refund: price, isFinal: true }]);
      expect(await undo(id, '0xa0')).to.equal('needed');
      expect(await backOf(id)).to.deep.equal([
        ['0xa0', 0, false],
        ['0xa1', price, true],
      ]);
      const fine = await paidTwice([
        { refund: 0, isFinal: true, txHash: '0xb0' },
        { refund: price, txHash: '0xb1' },
      ]);
      expect(await undo(fine, '0xb1')).to.equal('undone');
      expect(await backOf(fine)).to.deep.equal([['0xb0', 0, true]]);
    });
  });
}
