import { keccak } from '../../adapters/chain/keccak.ts';
import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { knownChains } from '../../core/deployments/chains.ts';
import { type OrderId, toOrderId } from '../../core/id.ts';
import { waitsUntil } from '../../core/purchases/lapse.ts';
import { createLearn, createSettleOrder } from '../../core/purchases/settle.ts';
import { refuse } from '../../core/refusal.ts';
import { createSendBack } from '../../core/selling/sent-back.ts';
import { minute } from '../../core/time.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { createTellUsdcOrder } from '../../core/usdc/telling.ts';
import { cent } from '../../core/usdc/usdc-quote.ts';
import { emptyBook } from '../../core/usdc/wallet.ts';
import { watchUsdc } from '../../core/usdc/watching.ts';
import type { Stores } from './backends.ts';
import { operator } from './by.ts';
import { must, issuedAt as now } from './license-acts.ts';
import { createModelChain, type Move } from './model-chain.ts';
import { addForSale, addOrder, orderPorts } from './orders.ts';

export const chainId = 84_532;
const chain = must(knownChains.get(chainId));
export const { softBlocks } = chain;
export const usdc = chain.usdc.toLowerCase();
/** Another token. */
export const fake = '0x00000000000000000000000000000000000fa4e0';
export const seller = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
export const buyer = '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb';

/** USDC that the buyer sends to the seller. */
export function move(amount: number, more: Partial<Move> = {}): Move {
  return { ...{ token: usdc, from: buyer, to: seller, amount }, ...more };
}

/** Opens a chain in memory, processes that watch it, and an order for each price, in cents, that waits for its payment. */
export async function openUsdcMarket(
  stores: Omit<Stores, 'close'>,
  { prices, limit = 5_000 }: { readonly prices: readonly number[]; readonly limit?: number | undefined },
) {
  const clock = createManualClock(now);
  const model = createModelChain(now - minute);
  const ports = orderPorts(stores, undefined, clock);
  const store = stores.usdc;
  const told = createTellUsdcOrder({
    ...{ orders: stores.orders, store, learn: createLearn(ports), clock },
    softLimit: limit,
  });
  let crashes = false;
  const tell = async (id: OrderId) => {
    if (crashes) throw new Unavailable('The process ends here.');
    return await told(id);
  };
  const chains = { get: () => model.chain };
  const process = watchUsdc({ store, clock, chains, tell });
  const work = { id: 1, kind: 'usdc', subjectId: chainId, attempt: 1 } as const;
  const look = async () => await process(work, { aborted: false } as never);
  const sendBack = createSendBack({
    list: { find: async (id) => (await stores.orders.find(toOrderId(Number(id)))) ?? refuse('order_not_found') },
    ...{ orders: stores.orders, store, wallets: { findOf: async () => emptyBook } },
    ...{ chains, keccak, tell, clock, limiter: createMemoryRateLimiter(clock) },
  });
  const asked: { readonly id: OrderId; readonly amount: number }[] = [];
  for (const [n, price] of prices.entries()) {
    const product = await addForSale(stores, { price, ownerId: null });
    const fields = { provider: 'usdc', paymentId: null, createdAt: now, updatedAt: now } as const;
    const order = await addOrder(stores, product, fields);
    const amount = price * cent + 5 + 37 * n;
    await store.open({
      ...{ orderId: order.id, chainId, address: seller, amount, createdAt: now, endsAt: waitsUntil(order) },
    });
    asked.push({ id: order.id, amount });
  }
  const orderNow = async (n: number) => must(await stores.orders.find(must(asked[n]).id));
  return {
    ...{ clock, model, store, look, asked, orderNow },
    settle: createSettleOrder(ports),
    /** Makes a block with a transaction for each amount. */
    pay: (...amounts: readonly number[]) =>
      model.mine(
        clock.now(),
        amounts.map((amount) => move(amount)),
      ),
    /** Makes so many blocks without a payment. */
    pass(blocks: number) {
      for (let made = 0; made < blocks; made++) model.mine(clock.now());
    },
    /** The seller enters a transaction as sent back. */
    enter: async (n: number, transaction: string) =>
      await sendBack(String(must(asked[n]).id), { transaction }, { actor: operator, mode: 'live' }),
    stateOf: async (n = 0) => (await orderNow(n)).state,
    /** The license of an order. */
    async keyOf(n = 0) {
      const key = (await orderNow(n)).licenseKey;
      return key === null ? undefined : { key, standing: must(await stores.licenses.find(key)).license.standing };
    },
    receivedBy: async (n = 0) =>
      (await store.ofOrder(must(asked[n]).id)).transfers.map(({ amount, isFinal }) => [amount, isFinal]),
    /** Looks until all that is in the chain is final and known. */
    async end() {
      crashes = false;
      model.rpc({});
      model.finalize(0);
      for (let looks = 0; looks < 3; looks++) await look();
    },
    crash(does: boolean) {
      crashes = does;
    },
  };
}
