import type { Recurrence } from '../marketplace/offers.ts';
import type { Instant } from '../ports/clock.ts';
import { isSame } from '../same.ts';
import { day } from '../time.ts';
import { endsOf, expiryAfter, monthsAfter } from './ends.ts';
import { type License, type Withheld, withhold } from './license.ts';
import { begun, type Cycle, endsWhileRunning, type Running, type Subscribed, withCycle } from './recurring.ts';

/** What a license gives to its holder: its two ends, and how much it may be used. */
export type Grant = Pick<License, 'expiresAt' | 'updatesUntil' | 'maxDomains' | 'entitlements'>;

/** Returns what a license gives now. */
export function grantIn({ expiresAt, updatesUntil, maxDomains, entitlements }: Grant): Grant {
  return { expiresAt, updatesUntil, maxDomains, entitlements };
}

/** The time that a payment buys. `days`: `null` means for ever. `months` of updates: `null` means as long as it may run. */
interface Time {
  readonly days: number | null;
  readonly months: number | null;
}

/** What one cause gives to a license. */
export type Gives =
  /** Its issue. With `recurs`, as the first payment of a subscription. */
  | ({ readonly kind: 'start'; readonly recurs?: Subscribed | undefined } & Grant)
  /** What its seller set by hand, of these four. */
  | ({ readonly kind: 'set' } & Partial<Grant>)
  /**
   * More time. `days` is `null` if it gives only updates. With `of`, only for the terms that this cause gave: under others, it
   * gives no time, and its worth stays unused.
   */
  | ({ readonly kind: 'renewal'; readonly of?: string | undefined } & Time)
  /** New terms from the day of the payment on. They take the place of all that was before. With `recurs`, those of a subscription. */
  | ({ readonly kind: 'upgrade'; readonly offer: string | null; readonly recurs?: Subscribed | undefined } & Time &
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
   * What it is worth, in cents, after refunds. The unused part of it is taken off the price of an upgrade. An upgrade is worth
   * its full price: that of its payment, and what was taken off.
   */
  readonly worth: number;
  /** The causes whose unused part was taken off the price of an upgrade. Without one of them, it was not paid in full. */
  readonly builtOn: readonly string[];
}

/** A period with the part of the time that it gives. `to` is `null` for ever. */
interface Part {
  readonly period: Period;
  readonly from: Instant;
  readonly to: Instant | null;
}

interface Folded {
  readonly grant: Grant;
  /** The parts that an upgrade would replace. */
  readonly parts: readonly Part[];
  /** Whether time to run was paid. */
  readonly isRunning: boolean;
  /** The cause of the terms: the start, or the last upgrade. */
  readonly terms: string;
  /** The offer of the last upgrade. `null`: the product's own price and terms. */
  readonly offer?: string | null;
  /** The subscription by which the license has its terms. */
  readonly running?: Running;
}

/** Returns what the periods of a license give. The first one is its start. */
export function grantOf(periods: readonly Period[]): Grant {
  const { grant, isRunning } = fold(periods);
  if (isRunning) return grant;
  // The license is revoked. It keeps its ends, as one that was never renewed does.
  return fold(periods.map((one, index) => (index === 0 ? { ...one, standing: 'paid' } : one))).grant;
}

function fold([start, ...later]: readonly Period[]): Folded {
  if (start?.gives.kind !== 'start') throw new Error('The first period of a license must be its start.');
  const lost = new Set<string>();
  // What a period is built on came before it, so one pass finds also those that are built on a lost one by way of others.
  const counted = [start, ...later].filter(({ cause, standing, builtOn }) => {
    const isLost = standing === 'void' || builtOn.some((one) => lost.has(one));
    if (isLost) lost.add(cause);
    return !isLost;
  });
  return counted.filter((one) => one !== start).reduce(next, started(start, start.gives));
}

/** A start whose payment is void gives no time. */
function started(period: Period, { kind: _, recurs, ...given }: Extract<Gives, { kind: 'start' }>): Folded {
  const { at, standing, cause: terms } = period;
  const isVoid = standing === 'void';
  const running = recurs && begun(terms, recurs, at, isVoid);
  if (!isVoid) {
    const to = running ? running.paidTo : given.expiresAt;
    return { grant: given, parts: [{ period, from: at, to }], isRunning: true, terms, ...(running && { running }) };
  }
  const updatesUntil = given.updatesUntil === null ? null : at;
  const grant = { ...given, expiresAt: at, updatesUntil };
  return { grant, parts: [], isRunning: false, terms, ...(running && { running }) };
}

function next(before: Folded, period: Period): Folded {
  const { grant, parts, isRunning } = before;
  const { gives, at } = period;
  switch (gives.kind) {
    case 'start':
      throw new Error('A license has only one start.');
    case 'set': {
      const { kind: _, ...set } = gives;
      return {
        ...before,
        grant: { ...grant, ...set },
        ...(before.running && { running: { ...before.running, ...set } }),
      };
    }
    case 'renewal': {
      const isOfOthers = gives.of !== undefined && gives.of !== before.terms;
      if (isOfOthers) return { ...before, parts: [...parts, { period, from: at, to: null }] };
      const after = renewed(grant, gives, at);
      const runs = after.expiresAt !== grant.expiresAt;
      const { expiresAt, updatesUntil } = after;
      const [end, to] = runs ? [grant.expiresAt, after.expiresAt] : [grant.updatesUntil, after.updatesUntil];
      return {
        ...before,
        grant: after,
        parts: [...parts, { period, from: startOf(end, at), to }],
        isRunning: isRunning || runs,
        ...(before.running && { running: { ...before.running, expiresAt, updatesUntil } }),
      };
    }
    case 'upgrade': {
      const { recurs, offer } = gives;
      const terms = period.cause;
      const running = recurs && begun(terms, recurs, at, false);
      const grant = upgraded(gives, at);
      const own = [{ period, from: at, to: running ? running.paidTo : grant.expiresAt }];
      return { grant, parts: own, isRunning: true, terms, offer, ...(running && { running }) };
    }
    case 'cycle': {
      // A payment of a subscription that another one has replaced.
      if (before.running?.cause !== gives.of) return { ...before, parts: [...parts, { period, from: at, to: null }] };
      const { running, from, to } = withCycle(before.running, gives, at);
      const { offer, ...terms } = gives.terms ?? {};
      return {
        ...before,
        grant: { ...grant, ...terms, ...endsWhileRunning(running) },
        parts: [...parts, { period, from, to }],
        isRunning: true,
        running,
        ...(offer !== undefined && { offer }),
      };
    }
    case 'cancel': {
      if (before.running?.cause !== gives.of) return before;
      const running = { ...before.running, isCancelled: true };
      // An end that its seller has set since the last payment stays.
      const isByHand = running.expiresAt !== undefined && running.expiresAt === grant.expiresAt;
      return { ...before, grant: { ...grant, ...(!isByHand && endsWhileRunning(running)) }, running };
    }
  }
}

/** Whoever renews early loses nothing. After the end, the new time begins with the payment. */
function startOf(end: Instant | null, paidAt: Instant): Instant {
  return end === null ? paidAt : Math.max(end, paidAt);
}

/** Returns what a license gives after a renewal that is paid now. What it has for ever stays so. */
export function renewed(before: Grant, { days, months }: Time, now: Instant): Grant {
  const expiresAt =
    before.expiresAt === null || days === null ? before.expiresAt : expiryAfter(days, startOf(before.expiresAt, now));
  const { updatesUntil } = before;
  if (updatesUntil === null) return { ...before, expiresAt };
  if (months !== null) return { ...before, expiresAt, updatesUntil: monthsAfter(months, startOf(updatesUntil, now)) };
  return { ...before, expiresAt, updatesUntil: expiresAt === before.expiresAt ? updatesUntil : expiresAt };
}

/** Returns what a license gives after an upgrade that is paid now. Without an offer, it gets all updates, as at its issue. */
export function upgraded(
  { offer, days, months, maxDomains, entitlements, recurs }: Omit<Extract<Gives, { kind: 'upgrade' }>, 'kind'>,
  now: Instant,
): Grant {
  if (recurs) return { ...endsWhileRunning(begun('', recurs, now, false)), maxDomains, entitlements };
  const duration = days === null ? null : ({ days, from: 'issue' } as const);
  const { expiresAt, updatesUntil } = endsOf(duration, offer === null ? undefined : { months }, now);
  return { expiresAt, updatesUntil, maxDomains, entitlements };
}

/** Returns what the unused parts of a license are worth now, in whole cents, with their causes. */
export function creditOf(
  periods: readonly Period[],
  now: Instant,
): { readonly credit: number; readonly builtOn: readonly string[] } {
  const worths = fold(periods).parts.map((part) => ({ cause: part.period.cause, worth: unusedOf(part, now) }));
  const left = worths.filter(({ worth }) => worth > 0);
  return { credit: left.reduce((sum, { worth }) => sum + worth, 0), builtOn: left.map(({ cause }) => cause) };
}

/** A day that has begun counts as unused, so that a price stays the same for a day. */
function unusedOf({ period: { worth }, from, to }: Part, now: Instant): number {
  if (to === null || now <= from) return worth;
  const left = Math.min(to - from, Math.ceil((to - now) / day) * day);
  return to <= now ? 0 : Math.floor((worth * left) / (to - from));
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
  { cause, standing, worth }: Pick<Period, 'cause' | 'standing' | 'worth'> = {
    cause: `issue:${license.key}`,
    standing: 'paid',
    worth: 0,
  },
  recurs?: Recurrence,
): Period {
  const gives = { kind: 'start', ...grantIn(license), ...(recurs && { recurs }) } as const;
  return { cause, at: license.createdAt, standing, gives, worth, builtOn: [] };
}
