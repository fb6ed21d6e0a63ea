import { baseCurrency } from '../currency.ts';
import type { Recurrence } from '../marketplace/offers.ts';
import type { Instant } from '../ports/clock.ts';
import { isSame } from '../same.ts';
import { fold } from './folded-periods.ts';
import { type License, type Withheld, withhold } from './license.ts';
import type { Cycle } from './recurring.ts';
import { unusedOf } from './unused.ts';

/** What a license gives to its holder: its two ends, and how much it may be used. */
export type Grant = Pick<License, 'expiresAt' | 'updatesUntil' | 'maxDomains' | 'entitlements'>;

/** Returns what a license gives now. */
export function grantIn({ expiresAt, updatesUntil, maxDomains, entitlements }: Grant): Grant {
  return { expiresAt, updatesUntil, maxDomains, entitlements };
}

/** The time that a payment buys. `days`: `null` means for ever. `months` of updates: `null` means as long as it may run. */
export interface Time {
  readonly days: number | null;
  readonly months: number | null;
}

/** What one cause gives to a license. */
export type Gives =
  /** Its issue. With `recurs`, as the first payment of a subscription. */
  | ({ readonly kind: 'start'; readonly recurs?: Recurrence | undefined } & Grant)
  /** What its seller set by hand, of these four. */
  | ({ readonly kind: 'set' } & Partial<Grant>)
  /**
   * More time. `days` is `null` if it gives only updates. With `of`, only for the terms that this cause gave: under others, it
   * gives no time, and its worth stays unused.
   */
  | ({ readonly kind: 'renewal'; readonly of?: string | undefined } & Time)
  /** New terms from the day of the payment on. They take the place of all that was before. With `recurs`, those of a subscription. */
  | ({
      readonly kind: 'upgrade';
      readonly offer: string | null;
      readonly recurs?: Recurrence | undefined;
      /** The amount that was taken off its price. Absent if there is none, or it is not known. */
      readonly credit?: number;
    } & Time &
      Pick<Grant, 'maxDomains' | 'entitlements'>)
  /** A later payment of the subscription that `of` has begun. */
  | ({ readonly kind: 'cycle'; readonly of: string } & Cycle)
  /** The buyer has cancelled the subscription that `of` has begun. Void as long as that is not so. */
  | { readonly kind: 'cancel'; readonly of: string };

/** `stopped`: its payment is disputed, or a refund is on its way. `void`: the payment was refunded or taken back. */
export const periodStandings = ['paid', 'stopped', 'void'] as const;
export type PeriodStanding = (typeof periodStandings)[number];

/** A part of the life of a license, in the order in which its causes came. */
export interface Period {
  /** Unique: `order:` with the id of an order, or `issue:` or `set:` with the key of the license and a number. */
  readonly cause: string;
  /** When it was paid, issued or set. */
  readonly at: Instant;
  readonly standing: PeriodStanding;
  readonly gives: Gives;
  /**
   * What it is worth, in the smallest unit of its currency, after refunds. The unused part of it is taken off the price of an upgrade. An upgrade is worth
   * its full price: that of its payment, and what was taken off.
   */
  readonly worth: number;
  /** The currency of its worth. Absent: the base currency. */
  readonly currency?: string | undefined;
  /** The causes whose unused part was taken off the price of an upgrade. Without one of them, it was not paid in full. */
  readonly builtOn: readonly string[];
}

/** Returns what the periods of a license give. The first one is its start. */
export function grantOf(periods: readonly Period[]): Grant {
  const { grant, isRunning } = fold(periods);
  if (isRunning) return grant;
  // The license is revoked. It keeps its ends, as one that was never renewed does.
  return fold(periods.map((one, index) => (index === 0 ? { ...one, standing: 'paid' } : one))).grant;
}

/** Returns the currency of a period's worth. */
function currencyIn({ currency = baseCurrency }: Pick<Period, 'currency'>): string {
  return currency;
}

/** Returns the currency in which a license was paid last. `undefined`: nothing was paid for it. */
export function paidIn(periods: readonly Period[]): string | undefined {
  const paid = periods.findLast(({ worth }) => worth > 0);
  return paid && currencyIn(paid);
}

/**
 * Returns what the unused parts of a license are worth now that were paid in this currency, in its smallest unit, with their
 * causes.
 */
export function creditOf(
  periods: readonly Period[],
  now: Instant,
  currency = baseCurrency,
): { readonly credit: number; readonly builtOn: readonly string[] } {
  const parts = fold(periods).parts.filter(({ period }) => currencyIn(period) === currency);
  const worths = parts.map((part) => ({ cause: part.period.cause, worth: unusedOf(part, now) }));
  const left = worths.filter(({ worth }) => worth > 0);
  return { credit: left.reduce((sum, { worth }) => sum + worth, 0), builtOn: left.map(({ cause }) => cause) };
}

/** Returns the offer of the last upgrade of a license. `undefined` if it was not upgraded. */
export function offerOf(periods: readonly Period[]): string | null | undefined {
  return fold(periods).offer;
}

/** Returns until when the subscription is paid that a cause has begun. `undefined` if the license has other terms now. */
export function paidToOf(periods: readonly Period[], cause: string): Instant | undefined {
  const { running } = fold(periods);
  return running?.cause === cause ? running.paidTo : undefined;
}

/** Whether the buyer has cancelled the subscription that a cause has begun. */
export function isCancelledIn(periods: readonly Period[], of: string): boolean {
  return periods.some(({ gives, standing }) => gives.kind === 'cancel' && gives.of === of && standing !== 'void');
}

/** Returns the cause of the terms that a license has: its start, or its last upgrade. */
export function termsCauseOf(periods: readonly Period[]): string {
  return fold(periods).terms;
}

/** Returns what the payments of a license do to it. `null`: they do not stop it. */
export function withheldBy(periods: readonly Period[]): Withheld | null {
  if (periods.some(({ standing }) => standing === 'stopped')) return 'suspended';
  return fold(periods).isRunning ? null : 'revoked';
}

/**
 * Returns the license as its periods say. If the license was not what the periods before gave, its seller has changed it by
 * hand in the meantime: this stays, and `periods` then contains it too. So each change of a payment is counted once, in
 * whatever order the payments become known.
 */
export function withPeriod(
  license: License,
  before: readonly Period[],
  period: Period,
): { readonly license: License; readonly periods: readonly Period[] } {
  const known = before.some(({ cause }) => cause === period.cause);
  const held = withHandSet(license, before, known ? undefined : period);
  const periods = known ? held.map((one) => (one.cause === period.cause ? period : one)) : [...held, period];
  return { license: { ...withhold(license, withheldBy(periods)), ...grantOf(periods) }, periods };
}

/** Returns the periods with what the seller has set by hand since the last of them. */
export function withHandSet(
  license: License,
  periods: readonly Period[],
  next?: Pick<Period, 'at'>,
): readonly Period[] {
  const given = grantOf(periods);
  const changed = Object.entries(grantIn(license)).filter(([name, value]) => !isSame(Reflect.get(given, name), value));
  if (changed.length === 0) return periods;
  const last = periods.at(-1)?.at ?? license.createdAt;
  const set: Partial<Grant> = Object.fromEntries(changed);
  const cause = `set:${license.key}:${periods.length}`;
  return [
    ...periods,
    { cause, at: next?.at ?? last, standing: 'paid', gives: { kind: 'set', ...set }, worth: 0, builtOn: [] },
  ];
}

/** The start of a license that has no periods yet. With `recurs`, it begins a subscription. */
export function startPeriod(
  license: Grant & Pick<License, 'key' | 'createdAt'>,
  { cause, standing, worth, currency }: Pick<Period, 'cause' | 'standing' | 'worth' | 'currency'> = {
    cause: `issue:${license.key}`,
    standing: 'paid',
    worth: 0,
  },
  recurs?: Recurrence,
): Period {
  const gives = { kind: 'start', ...grantIn(license), ...(recurs && { recurs }) } as const;
  return { cause, at: license.createdAt, standing, gives, worth, ...(currency && { currency }), builtOn: [] };
}
