import type { Instant } from '../ports/clock.ts';
import { endsOf, expiryAfter, monthsAfter } from './ends.ts';
import type { Gives, Grant, Period, Time } from './periods.ts';
import { begun, endsWhileRunning, isForEver, paidEndOf, type Running, withCycle } from './recurring.ts';
import { leftUnused, type Part } from './unused.ts';

/** What the periods of a license come to. */
export interface Folded {
  readonly grant: Grant;
  /** The parts that an upgrade would replace. */
  readonly parts: readonly Part[];
  /** Whether time to run was paid. */
  readonly isRunning: boolean;
  /** The cause of the terms: the start, or the last upgrade. */
  readonly terms: string;
  /** When the terms began. */
  readonly since: Instant;
  /** The offer of the last upgrade. `null`: the product's own price and terms. */
  readonly offer?: string | null;
  /** The subscription by which the license has its terms. */
  readonly running?: Running;
}

/** Goes through the periods of a license in the order in which its causes came. */
export function fold([start, ...later]: readonly Period[]): Folded {
  if (start?.gives.kind !== 'start') throw new Error('The first period of a license must be its start.');
  const lost = new Set<string>();
  // What a period is built on came before it, so one pass finds also those that are built on a lost one by way of others.
  const counted = [start, ...later].filter(({ cause, standing, builtOn }) => {
    const isLost = standing === 'void' || builtOn.some((one) => lost.has(one));
    if (isLost) lost.add(cause);
    return !isLost;
  });
  return withRefundsBelow(
    counted.filter((one) => one !== start),
    start,
  ).reduce(next, started(start, start.gives));
}

/** An upgrade is worth less if so much of what it is built on was refunded later that it no longer covers what was taken off its price. */
function withRefundsBelow(later: readonly Period[], start: Period): readonly Period[] {
  if (later.every(({ builtOn }) => builtOn.length === 0)) return later;
  const worths = new Map([[start.cause, start.worth]]);
  return later.map((period) => {
    const credit = period.gives.kind === 'upgrade' ? (period.gives.credit ?? 0) : 0;
    const below = period.builtOn.reduce((sum, cause) => sum + (worths.get(cause) ?? 0), 0);
    const worth = Math.max(0, period.worth - Math.max(0, credit - below));
    worths.set(period.cause, worth);
    return { ...period, worth };
  });
}

/** A start whose payment is void gives no time. */
function started(period: Period, { kind: _, recurs, ...given }: Extract<Gives, { kind: 'start' }>): Folded {
  const { at, standing, cause: terms } = period;
  const isVoid = standing === 'void';
  const running = recurs && begun(terms, recurs, at, isVoid);
  if (!isVoid) {
    const to = running ? running.paidTo : given.expiresAt;
    return {
      grant: given,
      parts: [{ period, from: at, to }],
      isRunning: true,
      terms,
      since: at,
      ...(running && { running }),
    };
  }
  const updatesUntil = given.updatesUntil === null ? null : at;
  const grant = { ...given, expiresAt: at, updatesUntil };
  return { grant, parts: [], isRunning: false, terms, since: at, ...(running && { running }) };
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
      const paid = paidGrantOf(before, at);
      const after = renewed(paid.grant, gives, paid.at);
      const runs = after.expiresAt !== grant.expiresAt;
      const { expiresAt, updatesUntil } = after;
      const [end, to] = runs ? [paid.grant.expiresAt, after.expiresAt] : [grant.updatesUntil, after.updatesUntil];
      return {
        ...before,
        grant: after,
        parts: [...parts, { period, from: startOf(end, paid.at), to }],
        isRunning: isRunning || runs,
        ...(before.running && { running: { ...before.running, expiresAt, updatesUntil } }),
      };
    }
    case 'upgrade': {
      const { recurs, offer } = gives;
      const terms = period.cause;
      const kept = keepsForEver(before, gives) ? { expiresAt: null } : {};
      const after = { ...upgraded(gives, at), ...kept };
      const running = recurs && { ...begun(terms, recurs, at, false), ...kept };
      const own = { period, from: at, to: running ? running.paidTo : after.expiresAt };
      const all = [...parts.flatMap((part) => leftUnused(part, period)), own];
      return { grant: after, parts: all, isRunning: true, terms, since: at, offer, ...(running && { running }) };
    }
    case 'cycle': {
      // A payment of a subscription that another one has replaced.
      if (before.running?.cause !== gives.of) {
        const { from, to } = gives.span ?? { from: at, to: null };
        const left = leftUnused({ period, from, to }, { at: before.since, builtOn: [] });
        return { ...before, parts: [...parts, ...left] };
      }
      // Each payment says the terms that were chosen, because an earlier one may be void. What was set by hand since stays.
      const { offer, ...terms } = gives.terms?.offer === before.offer ? {} : (gives.terms ?? {});
      const isKept = keepsForEver(before, { ...grant, ...terms });
      const { running, from, to } = withCycle({ ...before.running, ...(isKept && { expiresAt: null }) }, gives, at);
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

/** Who renews in the grace of a subscription pays for its days, as with a late payment: then the paid time counts, and its end as the time. */
function paidGrantOf({ grant, running }: Pick<Folded, 'grant' | 'running'>, at: Instant) {
  const { expiresAt } = grant;
  if (running === undefined || expiresAt === null || at >= expiresAt) return { grant, at };
  const end = paidEndOf(running, expiresAt);
  return { grant: { ...grant, expiresAt: end }, at: Math.min(at, end) };
}

/** A subscription that has made its license run for ever does so also if other payments follow, for the same terms or less. */
function keepsForEver({ grant, running }: Folded, gives: Pick<Grant, 'maxDomains' | 'entitlements'>): boolean {
  const isSameOrLess =
    gives.maxDomains <= grant.maxDomains && gives.entitlements.every((one) => grant.entitlements.includes(one));
  return running !== undefined && isForEver(running) && isSameOrLess;
}

/** Whoever renews early loses nothing. After the end, the new time begins with the payment. */
function startOf(end: Instant | null, paidAt: Instant): Instant {
  return end === null ? paidAt : Math.max(end, paidAt);
}

/** Returns what the renewal of a license gives that is paid now. */
export function renewedNow(periods: readonly Period[], time: Time, now: Instant): Grant {
  const { grant, at } = paidGrantOf(fold(periods), now);
  return renewed(grant, time, at);
}

/** Returns what a license gives after an upgrade that is paid now. */
export function upgradedNow(periods: readonly Period[], gives: Parameters<typeof upgraded>[0], now: Instant): Grant {
  return { ...upgraded(gives, now), ...(keepsForEver(fold(periods), gives) && { expiresAt: null }) };
}

/** What a license has for ever stays so. */
function renewed(before: Grant, { days, months }: Time, now: Instant): Grant {
  const expiresAt =
    before.expiresAt === null || days === null ? before.expiresAt : expiryAfter(days, startOf(before.expiresAt, now));
  const { updatesUntil } = before;
  if (updatesUntil === null) return { ...before, expiresAt };
  if (months !== null) return { ...before, expiresAt, updatesUntil: monthsAfter(months, startOf(updatesUntil, now)) };
  return { ...before, expiresAt, updatesUntil: expiresAt === before.expiresAt ? updatesUntil : expiresAt };
}

/** Without an offer, it gets all updates, as at its issue. */
function upgraded(
  { offer, days, months, maxDomains, entitlements, recurs }: Omit<Extract<Gives, { kind: 'upgrade' }>, 'kind'>,
  now: Instant,
): Grant {
  if (recurs) return { ...endsWhileRunning(begun('', recurs, now, false)), maxDomains, entitlements };
  const duration = days === null ? null : ({ days, from: 'issue' } as const);
  const { expiresAt, updatesUntil } = endsOf(duration, offer === null ? undefined : { months }, now);
  return { expiresAt, updatesUntil, maxDomains, entitlements };
}
