import type { Instant } from '../ports/clock.ts';
import { minute } from '../time.ts';
import type { Transfer } from './transfer.ts';
import { cent, lateFor, type UsdcQuote } from './usdc-quote.ts';

/** A quote with what has come for it, also what is not final yet. */
export interface HeldQuote extends UsdcQuote {
  readonly received: number;
}

/** The makers of blocks set the time, so it can differ a little from ours. */
const skew = minute;

/** Whether a transfer in a block of this time can be for the quote. */
export function isInTime({ createdAt, endsAt }: UsdcQuote, at: Instant): boolean {
  return at >= createdAt - skew && at < endsAt + lateFor;
}

/**
 * Returns the quote that a transfer pays: the one with exactly this amount, in full or what is left of it; or else the only
 * one that differs by at most a cent; or else the only one with the same millionths after the cents, because exchanges
 * take fees, and people round. If several could be meant, none is: a person decides then.
 */
export function quotePaidBy(
  { to, amount }: Pick<Transfer, 'to' | 'amount'>,
  quotes: readonly HeldQuote[],
): HeldQuote | undefined {
  const own = quotes.filter(({ address }) => address === to);
  const rest = (quote: HeldQuote) => quote.amount - quote.received;
  const full = own.find((quote) => quote.amount === amount);
  if (full !== undefined) return full;
  const rules: readonly ((quote: HeldQuote) => boolean)[] = [
    (quote) => rest(quote) === amount,
    (quote) => rest(quote) > 0 && Math.abs(rest(quote) - amount) <= cent,
    (quote) => amount % cent !== 0 && amount % cent === quote.amount % cent,
  ];
  for (const isMeant of rules) {
    const [first, ...others] = own.filter(isMeant);
    if (first !== undefined) return others.length === 0 ? first : undefined;
  }
  return undefined;
}

/** What has come for an order, in millionths: what is final, and what can still be taken back. */
export interface Received {
  readonly asked: number;
  readonly final: number;
  readonly seen: number;
}

/**
 * Returns how far an order is paid. Short by at most a cent is paid, and so is too much. `rest` is what is missing, and
 * `surplus` what is too much.
 */
export function standingOf({ asked, final, seen }: Received): {
  readonly status: 'open' | 'processing' | 'paid';
  readonly rest: number;
  readonly surplus: number;
} {
  const isEnough = (sum: number) => sum >= asked - cent;
  const status = isEnough(final) ? 'paid' : isEnough(final + seen) ? 'processing' : 'open';
  const rest = status === 'open' ? asked - final - seen : 0;
  return { status, rest, surplus: Math.max(0, final + seen - asked) };
}
