import type { Instant } from '../ports/clock.ts';
import { minute } from '../time.ts';
import type { Transfer } from './transfer.ts';
import { cent, lateFor, type UsdcQuote } from './usdc-quote.ts';

/** A quote that keeps its amount for itself. */
export interface HeldQuote extends UsdcQuote {
  /** What has come for its order on all chains, also what is not final yet. */
  readonly received: number;
  /** Whether its order still waits for money. */
  readonly isAwaited: boolean;
}

/** The makers of blocks set the time, so it can differ a little from ours. */
const skew = minute;

/**
 * Whether a transfer in a block of this time can be for the quote. Only its exact amount may come a little before it: nobody could
 * know that amount, but everybody sees what others have sent.
 */
export function isInTime(
  quote: UsdcQuote,
  { amount, at }: Pick<Transfer, 'amount'> & { readonly at: Instant },
): boolean {
  const from = quote.createdAt - (amount === quote.amount ? skew : 0);
  return at >= from && at < quote.endsAt + lateFor;
}

/**
 * Returns what to send for a quote after something has come for its order. It has the millionths of the quote, so that it says which order
 * it pays. Is short by less than a cent at most.
 */
export function amountDue({ amount }: UsdcQuote, received: number): number {
  if (received === 0) return amount;
  return Math.floor(Math.max(0, amount - received) / cent) * cent + (amount % cent);
}

/**
 * Returns the quote that a transfer pays: the one with exactly this amount; or else the one with the same millionths after the cents, because
 * exchanges take fees; or else the one of which this is the rounded rest, because people round. Nobody's millionths pay for another order.
 * If several could be meant, none is: a person decides then.
 */
export function quotePaidBy(
  { to, amount }: Pick<Transfer, 'to' | 'amount'>,
  quotes: readonly HeldQuote[],
): HeldQuote | undefined {
  const own = quotes.filter(({ address }) => address === to);
  const full = own.find((quote) => quote.amount === amount);
  if (full !== undefined) return full;
  const differs = (quote: HeldQuote) => Math.abs(quote.amount - quote.received - amount);
  const marked = own.filter((quote) => amount % cent !== 0 && amount % cent === quote.amount % cent);
  if (marked.length > 0) return onlyOf(marked) ?? onlyOf(marked.filter((quote) => differs(quote) <= cent));
  const rounded = own.filter(
    (quote) =>
      quote.received < quote.amount && differs(quote) <= cent && isRounded(amount, amountDue(quote, quote.received)),
  );
  const awaited = rounded.filter(({ isAwaited }) => isAwaited);
  return onlyOf(awaited.length > 0 ? awaited : rounded);
}

/** Whether somebody who was asked for `exact` may have sent `amount` with fewer digits. */
function isRounded(amount: number, exact: number): boolean {
  return amount % cent === 0 || [10, 100, 1_000].some((step) => amount % step === 0 && Math.abs(exact - amount) < step);
}

function onlyOf(quotes: readonly HeldQuote[]): HeldQuote | undefined {
  return quotes.length === 1 ? quotes[0] : undefined;
}

/** What has come for an order, in millionths: what is final, and what can still be taken back. */
export interface Received {
  readonly asked: number;
  readonly final: number;
  readonly seen: number;
  /** The part of `seen` that hardly ever goes away. */
  readonly soft: number;
}

/**
 * Returns how far an order is paid. Short by at most a cent is paid, and so is too much. `rest` is what is missing, and
 * `surplus` what is too much by more than a cent.
 */
export function standingOf({ asked, final, seen, soft }: Received): {
  readonly status: 'open' | 'processing' | 'soft' | 'paid';
  readonly rest: number;
  readonly surplus: number;
} {
  const isEnough = (sum: number) => sum >= asked - cent;
  const unpaid = isEnough(final + soft) ? 'soft' : isEnough(final + seen) ? 'processing' : 'open';
  const status = isEnough(final) ? 'paid' : unpaid;
  const rest = status === 'open' ? asked - final - seen : 0;
  const over = final + seen - asked;
  return { status, rest, surplus: over > cent ? over : 0 };
}
