import { byOf } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import { expiryAfter } from '../licensing/ends.ts';
import { type License, limitDomains, type PlainTransition, statusOf, type Transition } from '../licensing/license.ts';
import { parseLicenseKey } from '../licensing/license-key.ts';
import type { LicenseNotes } from '../licensing/license-notes.ts';
import { type Act, decideTransition } from '../licensing/transitions.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseChange, LicenseStore, Scene } from '../ports/license-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { isSame } from '../same.ts';
import { type FindLicense, needingReach, unknownLicense } from './find-license.ts';
import type { Seller } from './seller.ts';
import type { ShownLicense } from './sold-license.ts';

/** The values to change. Absent ones stay as they are. Each of the notes is replaced as a whole. */
export interface LicensePatch extends Partial<LicenseNotes> {
  readonly maxDomains?: number | undefined;
  /** It may fetch the releases made until then. `null` means all. */
  readonly updatesUntil?: Instant | null | undefined;
  /** In canonical form: see `parseEntitlements`. */
  readonly entitlements?: readonly string[] | undefined;
}

/** The terms that sellers change. */
type ChangedTerms = Pick<License, 'maxDomains' | 'updatesUntil' | 'entitlements'>;

type TransitionRefusal = 'invalid_key' | 'transition_not_allowed' | 'expiry_not_later';

/** How sellers change single licenses. The reason of the actor is kept in the audit trail. */
export interface Changing {
  /**
   * Refuses fewer domains than are activated. Changes nothing if the patch is empty. With `seen`, refuses if the license had
   * other terms or other notes when it was seen.
   */
  change(
    key: string,
    patch: LicensePatch,
    seller: Seller,
    seen?: Pick<ShownLicense, 'notes'> & { readonly license: ChangedTerms },
  ): Promise<ShownLicense | Refused<'invalid_key' | 'domains_in_use' | 'changed_meanwhile'>>;
  transit(key: string, transition: PlainTransition, seller: Seller): Promise<ShownLicense | Refused<TransitionRefusal>>;
  /**
   * Renews a license until this instant, or for ever (`null`). `undefined` adds the duration of the product to the end of
   * the license, or to now if it has ended.
   */
  renew(
    key: string,
    expiresAt: Instant | null | undefined,
    seller: Seller,
  ): Promise<ShownLicense | Refused<TransitionRefusal>>;
}

/** Makes one transition and returns the license after it. */
export type TransitLicense = (
  key: string,
  act: WantedAct,
  seller: Seller,
) => Promise<License | Refused<TransitionRefusal>>;

/** Without `expiresAt`, a renewal lasts as the product says. */
interface WantedAct {
  readonly transition: Transition;
  readonly expiresAt?: Instant | null | undefined;
}

export function createTransitLicense(store: Pick<LicenseStore, 'change'>, clock: Clock): TransitLicense {
  return async (text, act, seller) => {
    const key = parseLicenseKey(text);
    if (key === undefined) return unknownLicense();
    const changed = await store.change(key, undefined, decidingAct(act, seller, clock));
    return isRefused(changed) ? changed : changed.license;
  };
}

/** Returns a function that decides a transition of a license that the seller reaches. */
export function decidingAct({ transition, expiresAt }: WantedAct, seller: Seller, clock: Clock) {
  return (before: License, { durationDays: days }: Scene): LicenseChange | Refused<TransitionRefusal> => {
    const refused = needingReach(before, seller);
    if (refused) return refused;
    const now = clock.now();
    const byTerms = () => (days === null ? null : expiryAfter(days, Math.max(now, before.expiresAt ?? now)));
    const until = () => (expiresAt === undefined ? byTerms() : expiresAt);
    const act: Act = transition === 'renew' ? { transition, expiresAt: until() } : { transition };
    return decideTransition(before, act, byOf(seller.actor), now);
  };
}

export function createChanging(
  store: Pick<LicenseStore, 'change'>,
  find: FindLicense,
  transit: TransitLicense,
  clock: Clock,
): Changing {
  /** Reads the license before the change. So no read can fail after the change, when the caller needs its answer. */
  async function showing<R extends string>(
    text: string,
    seller: Seller,
    work: (shown: ShownLicense) => Promise<License | Refused<R>>,
  ): Promise<ShownLicense | Refused<R | 'invalid_key'>> {
    const shown = await find(text, seller);
    if (isRefused(shown)) return shown;
    const license = await work(shown);
    return isRefused(license) ? license : { ...shown, license, status: statusOf(license, clock.now()) };
  }

  return {
    transit: (key, transition, seller) => showing(key, seller, () => transit(key, { transition }, seller)),

    renew: (key, expiresAt, seller) =>
      showing(key, seller, () => transit(key, { transition: 'renew', expiresAt }, seller)),

    async change(text, { maxDomains, updatesUntil, entitlements, ...notes }, seller, seen) {
      const changed = await showing(text, seller, async ({ license: { key } }) => {
        const decide = (before: License, { notes: noted }: Scene) => {
          if (seen !== undefined && !(isSame(termsOf(before), termsOf(seen.license)) && isSame(noted, seen.notes)))
            return refuse('changed_meanwhile');
          const limited = maxDomains === undefined ? before : limitDomains(before, maxDomains);
          if (isRefused(limited)) return limited;
          const license: License = {
            ...limited,
            ...(updatesUntil !== undefined && { updatesUntil }),
            ...(entitlements !== undefined && { entitlements }),
          };
          const names = changedParts(before, license, notes);
          if (names.length === 0) return { license };
          const data = { changed: names.join(' '), max_domains: license.maxDomains, ...rightsIn(names, license) };
          return { license, notes, event: event('license.changed', key, byOf(seller.actor), clock.now(), data) };
        };
        const change = await store.change(key, undefined, decide, seen && 'notes');
        return isRefused(change) ? change : change.license;
      });
      return isRefused(changed) ? changed : { ...changed, notes: { ...changed.notes, ...notes } };
    },
  };
}

function termsOf({ maxDomains, updatesUntil, entitlements }: ChangedTerms): ChangedTerms {
  return { maxDomains, updatesUntil, entitlements };
}

const termNames = {
  maxDomains: 'max_domains',
  updatesUntil: 'updates_until',
  entitlements: 'entitlements',
} as const satisfies Record<keyof ChangedTerms, string>;
const terms = Object.keys(termNames) as (keyof ChangedTerms)[];

/** The names of what changes. The notes themselves are not in the audit trail, because they can be about people. */
function changedParts(before: License, after: License, notes: Partial<LicenseNotes>): string[] {
  const changed = terms.filter((term) => !isSame(before[term], after[term]));
  return [...changed.map((term) => termNames[term]), ...Object.keys(notes)];
}

/** The new values of the rights that change. */
function rightsIn(changed: readonly string[], { updatesUntil, entitlements }: License) {
  return {
    ...(changed.includes(termNames.updatesUntil) && { updates_until: updatesUntil }),
    ...(changed.includes(termNames.entitlements) && { entitlements: entitlements.join(' ') || null }),
  };
}
