import { byOf } from '../accounts/role.ts';
import { type ClaimId, parseId, toClaimId, type UserId } from '../id.ts';
import { pageOf, parseIdPlace } from '../place.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { ClaimOfOrder, UsdcClaims } from '../ports/usdc-claims.ts';
import { aboutOrder, type Order } from '../purchases/order.ts';
import { countLetterTo } from '../purchases/order-limits.ts';
import { lettersToBuyer } from '../purchases/order-news.ts';
import type { OrderPorts } from '../purchases/settle.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { type ClaimState, type ClaimVerdict, decided } from '../usdc/claim.ts';
import type { TellUsdcOrder } from '../usdc/telling.ts';
import { formatUsdc } from '../usdc/usdc-quote.ts';
import { narrowedTo, reaches, type Seller } from './seller.ts';

export interface ClaimPage {
  readonly items: readonly ClaimOfOrder[];
  readonly next: string | null;
}

/**
 * Payments in USDC that fitted no order, and that their senders have claimed for one. Sellers decide about those for their own products, and
 * administrators about all. Claims of others are unknown.
 */
export interface PaymentClaims {
  /** Newest first. `sellerId` can only narrow. */
  list(
    query: {
      readonly state?: ClaimState | undefined;
      readonly sellerId?: UserId | undefined;
      readonly after?: string | undefined;
      readonly limit: number;
    },
    seller: Seller,
  ): Promise<ClaimPage | Refused<'unknown_place' | 'forbidden'>>;
  find(id: string, seller: Seller): Promise<ClaimOfOrder | Refused<'claim_not_found'>>;
  /**
   * Decides for good. What is taken counts as any payment of the order: it can be too little, or too much. The buyer is told by mail,
   * except if too many went to an address that nobody has proved: the page of the order says it all the same. Of two decisions at once, one is made.
   */
  decide(
    id: string,
    verdict: ClaimVerdict,
    seller: Seller,
  ): Promise<ClaimOfOrder | Refused<'claim_not_found' | 'claim_decided' | 'transaction_counted'>>;
}

interface PaymentClaimPorts extends Pick<OrderPorts, 'write' | 'clock' | 'limiter' | 'isProved'> {
  readonly claims: UsdcClaims;
  readonly orders: Pick<OrderStore, 'find'>;
  readonly tell: TellUsdcOrder;
}

export function createPaymentClaims(ports: PaymentClaimPorts): PaymentClaims {
  const { claims, orders, tell, write, clock } = ports;

  const find: PaymentClaims['find'] = async (text, seller) => {
    const id = parseId(text, toClaimId);
    const found = id === undefined ? undefined : await claims.find(id);
    return found && isReached(seller, found.order) ? found : unknown(text);
  };

  return {
    find,

    async list({ state, sellerId, after, limit }, seller) {
      const wanted = narrowedTo(sellerId, seller, 'orders:manage');
      if (isRefused(wanted)) return wanted;
      const before = parseIdPlace<ClaimId>(after, toClaimId);
      if (isRefused(before)) return before;
      if (wanted === undefined) return { items: [], next: null };
      const { isLive, ownerId } = wanted;
      const found = await claims.list({ isLive, sellerId: ownerId, state, before, limit: limit + 1 });
      const items = found.slice(0, limit);
      return {
        items,
        next: pageOf(
          found.map(({ claim }) => claim),
          limit,
        ).next,
      };
    },

    async decide(text, verdict, seller) {
      const found = await find(text, seller);
      if (isRefused(found)) return found;
      const isOpen = found.claim.state === 'open';
      const isMailed = isOpen && (await countLetterTo(ports, found.order.buyer)) === undefined;
      const after = await claims.change<'claim_decided'>(found.claim.id, clock.now(), (before, order) => {
        const now = clock.now();
        const change = decided(before, verdict, byOf(seller.actor), now);
        if (isRefused(change)) return change;
        const letter = {
          kind: 'order-claim-decided',
          ...aboutOrder(order),
          usdc: formatUsdc(before.amount),
          reason: change.after.reason,
        } as const;
        return { ...change, letters: isMailed ? lettersToBuyer(order, letter, { write, now }) : [] };
      });
      if (after === undefined) return unknown(text);
      if (after === 'counted') {
        return refuse('transaction_counted', 'This transfer counts already. Reject the claim.');
      }
      if (isRefused(after)) return after;
      const { id } = found.order;
      // If this process ends here, the watcher of the chain tells the order.
      if (after.state === 'taken') await tell(id);
      return { claim: after, order: (await orders.find(id)) ?? found.order };
    },
  };
}

function isReached(seller: Seller, { sellerId, isLive }: Order): boolean {
  return reaches(seller, 'orders:manage', { ownerId: sellerId, isLive });
}

function unknown(id: string): Refused<'claim_not_found'> {
  return refuse('claim_not_found', `No claim has the id ${id}.`);
}
