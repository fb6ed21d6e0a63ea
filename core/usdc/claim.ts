import { type By, event } from '../events/event.ts';
import type { ClaimId, OrderId } from '../id.ts';
import type { Change } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { Order } from '../purchases/order.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Transfer } from './transfer.ts';
import { formatUsdc } from './usdc-quote.ts';

/** `taken`: it counts as a payment of the order. */
export const claimStates = ['open', 'taken', 'rejected'] as const;
export type ClaimState = (typeof claimStates)[number];

/** A transfer that paid no order by itself. Its sender has signed that it is for this one, and a person decides. */
export interface UsdcClaim extends Transfer {
  readonly id: ClaimId;
  readonly orderId: OrderId;
  readonly chainId: number;
  /** When it was sent, as the block says. */
  readonly sentAt: Instant;
  readonly state: ClaimState;
  /** Why it was rejected. */
  readonly reason: string | null;
  readonly createdAt: Instant;
  readonly decidedAt: Instant | null;
}

export type NewUsdcClaim = Omit<UsdcClaim, 'id' | 'state' | 'reason' | 'decidedAt'>;

/** The most claims of one order, also those that were decided: each costs the seller time. */
export const mostClaims = 5;

/** Returns what a wallet signs to claim a transaction, in one line. It is worth nothing for another order. */
export function claimStatement({ id }: Pick<Order, 'id'>, txHash: string): string {
  return `I have sent the USDC in the transaction ${txHash}. It is the payment of order ${id}.`;
}

/** Whether a payment of the order can be claimed. What is paid needs no more, nor what is soft, as long as the chain keeps it. */
export function isClaimable({ provider, partOf, payment }: Pick<Order, 'provider' | 'partOf' | 'payment'>): boolean {
  return provider === 'usdc' && partOf === null && payment.status !== 'paid' && payment.status !== 'soft';
}

/** What a person decides. */
export type ClaimVerdict = { readonly kind: 'take' } | { readonly kind: 'reject'; readonly reason: string };

/** Returns a claim after the decision. The first decision stays. */
export function decided(
  before: UsdcClaim,
  verdict: ClaimVerdict,
  by: By,
  now: Instant,
): Change<UsdcClaim> | Refused<'claim_decided'> {
  if (before.state !== 'open') {
    return refuse('claim_decided', `The claim was ${before.state} already, and that stays.`);
  }
  const [state, type, reason] =
    verdict.kind === 'take'
      ? (['taken', 'order.claim_taken', null] as const)
      : (['rejected', 'order.claim_rejected', verdict.reason] as const);
  return {
    after: { ...before, state, reason, decidedAt: now },
    event: event(type, String(before.orderId), { ...by, reason: reason ?? by.reason }, now, claimFacts(before)),
  };
}

/** What the audit trail says of a claim. */
export function claimFacts({ amount, txHash }: Pick<UsdcClaim, 'amount' | 'txHash'>) {
  return { usdc: formatUsdc(amount), transaction: txHash };
}
