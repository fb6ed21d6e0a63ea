import { byOf } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import type { Chains, Keccak } from '../ports/chain.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { UsdcOfOrder, UsdcStore } from '../ports/usdc-store.ts';
import type { WalletStore } from '../ports/wallet-store.ts';
import type { Order } from '../purchases/order.ts';
import { countLookBy } from '../purchases/order-limits.ts';
import type { OrderPorts } from '../purchases/settle.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { minute } from '../time.ts';
import { type EvmAddress, parseAddress } from '../usdc/evm-address.ts';
import { refundBy, withSentBack } from '../usdc/sent-back.ts';
import { receivedIn, type TellUsdcOrder } from '../usdc/telling.ts';
import { type ChainTransaction, hashIn, transactionOn } from '../usdc/transaction-of.ts';
import type { Transfer } from '../usdc/transfer.ts';
import { walletsNow } from '../usdc/wallet.ts';
import { addressAdvice } from '../usdc/wallets.ts';
import { type OrderList, unknownOrder } from './order-list.ts';
import type { Seller } from './seller.ts';

/** Why a transaction is not taken as sent back. */
export type NotSentBack =
  | 'order_not_found'
  | 'payment_act_not_allowed'
  | 'refund_not_possible'
  | 'address_invalid'
  | 'transaction_invalid'
  | 'transaction_counted'
  | 'too_many_attempts';

/**
 * Counts USDC that the seller has sent back, by the hash of the transaction. The chain says whether that is so: the money must
 * have come from an address of the seller, after the order was made, and have gone to an address that has paid the order, or
 * to the one in `to`. It refunds a paid order. For another order it takes back what came. One transfer counts once, for
 * one order; of several in one transaction, each order counts the first one that fits. It is on its way until the chain has made it final.
 * Throws `Unavailable` if the chain cannot be asked.
 */
export type SendBack = (
  id: string,
  typed: { readonly transaction: string; readonly to?: string | undefined },
  seller: Seller,
) => Promise<Order | Refused<NotSentBack>>;

interface SendBackPorts {
  readonly list: Pick<OrderList, 'find'>;
  readonly orders: Pick<OrderStore, 'find'>;
  readonly store: Pick<UsdcStore, 'ofOrder' | 'sendBack'>;
  readonly wallets: Pick<WalletStore, 'findOf'>;
  readonly chains: Pick<Chains, 'get'>;
  readonly keccak: Keccak;
  readonly tell: TellUsdcOrder;
  readonly limiter: OrderPorts['limiter'];
  readonly clock: OrderPorts['clock'];
}

export function createSendBack(ports: SendBackPorts): SendBack {
  const { list, orders, store, chains, keccak, tell, clock } = ports;

  /** The addresses of the seller on a chain: those that the order names, and those that count now. */
  async function ownAddresses({ sellerId }: Order, { quotes }: UsdcOfOrder, chainId: number) {
    const all = [...quotes, ...walletsNow(await ports.wallets.findOf(sellerId), clock.now())];
    return all.flatMap((one) => (one.chainId === chainId && one.address !== null ? [one.address] : []));
  }

  return async (id, typed, seller) => {
    const order = await list.find(id, seller);
    if (isRefused(order)) return order;
    if (order.provider !== 'usdc' || order.partOf !== null)
      return refuse('payment_act_not_allowed', 'This order is not paid in USDC.');
    const hash = hashIn(typed.transaction);
    if (hash === undefined) {
      return notThis('This is no hash of a transaction. It begins with 0x and has 64 digits after that.');
    }
    const to = typed.to === undefined || typed.to.trim() === '' ? undefined : parseAddress(typed.to.trim(), keccak);
    if (typed.to?.trim() && to === undefined) return refuse('address_invalid', addressAdvice);
    const tooOften = await countLookBy(ports, byOf(seller.actor).actor);
    if (tooOften) return tooOften;
    const known = await store.ofOrder(order.id);
    const chainIds = known.quotes.map(({ chainId }) => chainId);
    const found = await transactionOn(chains, chainIds, hash);
    const candidates = found && (await sentIn(found, order, known, to));
    if (candidates === undefined)
      return notThis('It is in no block of the chains of this order. Wait until your wallet shows it as sent.');
    if (isRefused(candidates)) return candidates;
    // The same again changes nothing.
    if (known.sentBack.some(({ txHash }) => txHash === hash)) return order;
    let refused: Refused<NotSentBack> | undefined;
    for (const one of candidates) {
      const added = await store.sendBack<NotSentBack>(order.id, clock.now(), (now, { state, payment }) => {
        // What was entered a moment ago may not be in the order yet.
        const before = { state, payment: withSentBack(payment, now.sentBack) };
        const refund = refundBy(before, receivedIn(now), one.amount);
        if (isRefused(refund)) return refund;
        const data = { amount: refund, transaction: one.txHash };
        const told = event('order.refund_asked', String(order.id), byOf(seller.actor), clock.now(), data);
        return { sentBack: { ...one, orderId: order.id, refund }, event: told };
      });
      if (added === 'counted') continue;
      // Of several transfers, another one can belong to this order.
      if (isRefused(added)) {
        refused ??= added;
        continue;
      }
      await tell(order.id);
      return (await orders.find(order.id)) ?? unknownOrder(id);
    }
    return refused ?? refuse('transaction_counted', 'This transaction counts already, for another order.');
  };

  /** Returns what a transaction has sent back, or what is wrong with it. */
  async function sentIn(
    { chainId, chain, receipt, transfers }: ChainTransaction,
    order: Order,
    known: UsdcOfOrder,
    to: EvmAddress | undefined,
  ) {
    if (!receipt.succeeded) return notThis('The transaction has failed, and moved nothing.');
    const own = await ownAddresses(order, known, chainId);
    const receivers = to === undefined ? known.transfers.map(({ from }) => from) : [to];
    const fits = ({ from, to }: Transfer) => own.includes(from) && receivers.includes(to) && !own.includes(to);
    const sent = transfers.filter(fits);
    if (sent.length === 0)
      return notThis(
        'It has moved no USDC from an address of the seller to the buyer. Send it from an address that you have proved, to the address that has paid, or name the one to which you have sent it.',
      );
    // Asked in this order: what is then in the chain up to the final block stays there.
    const final = await chain.block('finalized');
    const block = await chain.block(receipt.blockNumber);
    if (block?.hash !== receipt.blockHash) return undefined;
    if (block.at < order.createdAt - minute) return notThis('The transaction is older than the order.');
    const isFinal = final !== undefined && receipt.blockNumber <= final.number;
    return sent.map((one) => ({ ...one, chainId, isFinal }));
  }
}

function notThis(detail: string): Refused<'transaction_invalid'> {
  return refuse('transaction_invalid', detail);
}
