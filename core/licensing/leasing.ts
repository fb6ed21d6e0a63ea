import type { Clock, Instant } from '../ports/clock.ts';
import type { HostHistory } from '../ports/host-history.ts';
import type { LeaseTerms, LeaseTermsReader } from '../ports/lease-terms.ts';
import type { LicenseAliases } from '../ports/license-aliases.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { Memory } from '../ports/memory.ts';
import type { Pause } from '../ports/pause.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { minute } from '../time.ts';
import { obeyed } from './forced.ts';
import { createKeyLookup } from './key-lookup.ts';
import { givenOutUntil, type LeaseFacts, leaseOf } from './lease.ts';
import type { LeaseKeys } from './lease-keys.ts';
import { hoursOf } from './leased-hosts.ts';
import type * as rules from './license.ts';
import type { LicenseKey } from './license-key.ts';
import type { VerifiedHost } from './licensing.ts';
import { type Answered, judge } from './verdict.ts';

/** A change of the life of leases is seen after this time, at the latest. */
const termsKeptFor = minute;

/** A signed lease: a compact JWS. */
export interface SignedLease {
  readonly token: string;
  readonly endsAt: Instant;
}

/** A signed lease that may be given out again, for the same facts and by the same key. */
export interface KeptLease extends SignedLease {
  readonly about: string;
  readonly from: Instant;
  readonly givenOutUntil: Instant;
}

export interface KnownTerms extends LeaseTerms {
  readonly readAt: Instant;
}

type NotLeased = Refused<Exclude<Answered, { kind: 'valid' }>['reason']>;

export interface Leasing {
  /** Verifies as `Licensing.verify`, with the same count, and signs the verdict if it is valid. Throws `Forced`, too. */
  lease(host: VerifiedHost): Promise<SignedLease | NotLeased>;
}

interface LeasingPorts {
  readonly store: Pick<LicenseStore, 'verify'>;
  readonly aliases: Pick<LicenseAliases, 'find'>;
  readonly terms: LeaseTermsReader;
  readonly leaseKeys: Pick<LeaseKeys, 'currentKey'>;
  readonly history: HostHistory;
  readonly leases: Memory<KeptLease>;
  readonly knownTerms: Memory<KnownTerms>;
  readonly clock: Clock;
  readonly pause: Pause;
}

export function createLeasing({
  store,
  aliases,
  terms,
  leaseKeys,
  history,
  leases,
  knownTerms,
  clock,
  pause,
}: LeasingPorts): Leasing {
  const { withKey } = createKeyLookup(aliases, clock);

  async function termsOf(key: LicenseKey): Promise<LeaseTerms | undefined> {
    const readAt = clock.now();
    const known = knownTerms.get(key);
    if (known !== undefined && readAt >= known.readAt && readAt < known.readAt + termsKeptFor) return known;
    const found = await terms.find(key);
    if (found !== undefined) knownTerms.set(key, { ...found, readAt });
    return found;
  }

  async function signed(
    facts: LeaseFacts,
    of: Pick<rules.License, 'key' | 'maxDomains'> & Pick<LeaseTerms, 'wwwIsApex'>,
  ): Promise<KeptLease> {
    const key = await leaseKeys.currentKey(facts.hours);
    const about = JSON.stringify([key.kid, facts]);
    const name = `${facts.asked} ${facts.domain}`;
    const keptNow = () => {
      const kept = leases.get(name);
      const now = clock.now();
      return kept?.about === about && now >= kept.from && now < kept.givenOutUntil ? kept : undefined;
    };
    const kept = keptNow();
    if (kept) return kept;
    const hours = await hoursOf({ ...facts, ...of }, history, clock.now());
    // Of several that waited for the history, the first one signs.
    const meanwhile = keptNow();
    if (meanwhile) return meanwhile;
    const lease = leaseOf({ ...facts, hours }, clock.now());
    const { from, endsAt } = lease;
    const made = { token: key.signLease(lease), from, endsAt, about, givenOutUntil: givenOutUntil(lease) };
    leases.set(name, made);
    return made;
  }

  return {
    lease: ({ licenseKey, domain, entitlement }) =>
      withKey(licenseKey, async ({ key, shown, alias, hasEnded }) => {
        let hostEndsAt: Instant | null = null;
        const judged = await store.verify(key, domain, (license, activation) => {
          const now = clock.now();
          // It may decide several times. The last decision is the verdict.
          hostEndsAt = activation?.endsAt ?? null;
          return judge(hasEnded(now) ? undefined : license, activation, entitlement, now);
        });
        const verdict = await obeyed(judged, key, pause);
        if (isRefused(verdict)) return verdict;
        const found = await termsOf(key);
        // Its key was replaced since the verdict. Then the key that was asked for may lead to it in another way.
        if (found === undefined) return refuse('invalid_key');
        const { updatesUntil, entitlements } = verdict;
        const ends = [verdict.expiresAt, alias?.validUntil ?? null].filter((end) => end !== null);
        const expiresAt = ends.length === 0 ? null : Math.min(...ends);
        const { productId, hours, maxDomains, wwwIsApex } = found;
        const license = { productId, expiresAt, updatesUntil, entitlements };
        return await signed({ asked: shown, domain, ...license, hostEndsAt, hours }, { key, maxDomains, wwwIsApex });
      }),
  };
}
