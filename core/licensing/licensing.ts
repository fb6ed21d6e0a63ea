import { event } from '../events/event.ts';
import type { Product } from '../marketplace/product.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseAliases } from '../ports/license-aliases.ts';
import type { Freshness, LicenseRecord, LicenseStore } from '../ports/license-store.ts';
import type { Pause } from '../ports/pause.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Decided } from './activations.ts';
import type { DomainName } from './domain-name.ts';
import { activateByKey, deactivateByKey, type NotActivated, type NotDeactivated } from './domain-proof.ts';
import { answeredStatus, type ForcedAnswer, forcedIn, forcedStatus, isForced, obey, obeyed } from './forced.ts';
import { isInstance } from './instance.ts';
import { type AskedKey, createKeyLookup, isUnknown } from './key-lookup.ts';
import * as rules from './license.ts';
import { eventOfProven, eventOfRemoved } from './license-events.ts';
import { type LicenseKey, parseLicenseKey } from './license-key.ts';
import type { ProofPorts } from './look-up-proof.ts';
import { createProving } from './proving.ts';
import { type Answered, judge } from './verdict.ts';

/** A license key as the caller wrote it, and the domain that uses it. */
export interface AskedHost {
  readonly licenseKey: string;
  readonly domain: DomainName;
}

/**
 * A host that is to be activated or deactivated. `from`: the network of the caller, as rate limits count it. Lookups of proofs are limited for each, and
 * calls without one count together.
 */
export interface ChangedHost extends AskedHost {
  readonly from?: string | undefined;
}

/** A host that also needs an entitlement, if one is given. */
export interface VerifiedHost extends AskedHost {
  readonly entitlement?: string | undefined;
}

/**
 * A host after a successful change, with the name under which it is activated. `key` is the one that was asked for: the
 * license's key in canonical form, or another key that leads to it.
 */
export interface ActivatedHost {
  readonly key: string;
  readonly domain: DomainName;
  /** A sentence that says how to prove the domain. Only if the product lets proven domains take the slots of others, and this one is not proven. */
  readonly how?: string;
}

/** A verdict about a license. `keyEndsAt`: the key that was asked for is no key of the license from then on. */
export type KeyVerdict =
  | Exclude<Answered, { kind: 'valid' }>
  | (Extract<Answered, { kind: 'valid' }> & { readonly keyEndsAt?: Instant });

export interface LicenseSummary extends rules.Rights {
  /** That of the license, or the one that was asked for if that one was replaced: it must not lead to the new one. */
  readonly key: string;
  readonly status: rules.LicenseStatus;
  readonly product: Pick<Product, 'id' | 'title' | 'slug'>;
  /** Of all activations, the last one that is a domain. */
  readonly newest: rules.Activation | undefined;
  /**
   * Of the `shownDomains` newest activations that take a slot, those that are domains, newest first. A host that is being moved
   * shares a slot. `domainsUsed` also counts instances of clients of other systems.
   */
  readonly domains: readonly rules.Activation[];
  /** Those that take no slot, newest first, and at most `shownDomains`. */
  readonly domainsWithoutSlot: readonly rules.Activation[];
  /** The number of all used slots. */
  readonly domainsUsed: number;
  readonly maxDomains: number;
  readonly verifications: rules.Verifications;
  readonly expiresAt: Instant | null;
  readonly createdAt: Instant;
}

/**
 * The four operations of the license API. Each takes the key of a license, or any alias that leads to it. Each throws `Forced` if the clock of a test
 * license says so.
 */
export interface Licensing {
  /**
   * Takes a slot for the domain, if its kind needs one. If the domain is already activated, it may only become proven. The product decides if the domain
   * must be proven.
   */
  activate(host: ChangedHost): Promise<ActivatedHost | Refused<'invalid_key' | NotActivated>>;
  /**
   * Frees the domain's slot, in every status. The next verification of the domain fails. The product decides if the key is enough.
   */
  deactivate(host: ChangedHost): Promise<ActivatedHost | Refused<'invalid_key' | NotDeactivated>>;
  /** Returns a verdict, and counts it if it is `valid`. */
  verify(host: VerifiedHost): Promise<KeyVerdict>;
  /** Returns the current state. With `stale`, the state may be some seconds old. */
  status(licenseKey: string, freshness?: Freshness): Promise<LicenseSummary | Refused<'invalid_key'>>;
}

const unknownNetwork = 'unknown';

const caller = { actor: 'license-api' };

interface LicensingPorts extends ProofPorts {
  readonly store: LicenseStore;
  readonly aliases: Pick<LicenseAliases, 'find'>;
  readonly clock: Clock;
  readonly pause: Pause;
}

export function createLicensing({ store, aliases, proofs, unproven, clock, pause }: LicensingPorts): Licensing {
  const { withKey, byAlias } = createKeyLookup(aliases, clock);
  const prove = createProving({ store, proofs, unproven, clock });

  /** Makes a change, unless the clock of the license forces another answer. */
  const change: typeof prove = async (asked, domain, decide, eventOf) => {
    let forced: ForcedAnswer | undefined;
    const unlessForced: typeof decide = (license, ...scene) => {
      forced = forcedIn(license);
      // Nobody sees this refusal: `obey` throws. A throw here would undo the changes of others in the same transaction.
      return forced === '429' || forced === '503' ? refuse('invalid_key') : decide(license, ...scene);
    };
    const done = await prove(asked, domain, unlessForced, eventOf);
    await obey(forced, asked.key, pause);
    return done;
  };

  return {
    activate: ({ licenseKey, domain, from = unknownNetwork }) =>
      withKey(licenseKey, async (asked) => {
        const done = await change({ ...asked, from }, domain, activateUnlessForced, (decided, at) =>
          eventOfActivated(asked.key, decided, at),
        );
        return isRefused(done)
          ? done
          : { key: asked.shown, domain: done.domain, ...(done.how !== undefined && { how: done.how }) };
      }),

    deactivate: ({ licenseKey, domain, from = unknownNetwork }) =>
      withKey(licenseKey, async (asked) => {
        const done = await change({ ...asked, from }, domain, deactivateByKey, (decided, at) =>
          eventOfRemoved(asked.key, decided, caller, at),
        );
        return isRefused(done) ? done : { key: asked.shown, domain: done.domain };
      }),

    async verify({ licenseKey, domain, entitlement }) {
      const verdictOn = (key: LicenseKey, hasEnded?: AskedKey['hasEnded']) =>
        store.verify(key, domain, (license, activation) => {
          const now = clock.now();
          return judge(hasEnded?.(now) ? undefined : license, activation, entitlement, now);
        });
      // Nearly all sites have the license key itself. They do not pay for aliases.
      const own = parseLicenseKey(licenseKey);
      const verdict = own && (await verdictOn(own));
      if (own !== undefined && verdict !== undefined && !isUnknown(verdict)) {
        return isForced(verdict) ? await obeyed(verdict, own, pause) : verdict;
      }
      return await byAlias(licenseKey, own, async ({ key, alias, hasEnded }): Promise<KeyVerdict> => {
        const verdict = await obeyed(await verdictOn(key, hasEnded), key, pause);
        const keyEndsAt = alias?.validUntil ?? null;
        return keyEndsAt === null || isRefused(verdict) ? verdict : { ...verdict, keyEndsAt };
      });
    },

    status: (licenseKey, freshness) =>
      withKey(licenseKey, async ({ key, shown, alias }) => {
        const record = await store.find(key, freshness);
        if (record === undefined) return refuse('invalid_key');
        await obey(forcedIn(record.license), key, pause);
        // Whoever has a key for a time must not learn the one that lasts.
        return summaryOf(record, alias?.kind === 'former' || alias?.validUntil != null ? shown : key, clock.now());
      }),
  };
}

const activateUnlessForced: typeof activateByKey = (license, ...scene) => {
  const forced = forcedStatus(license);
  return forced ? refuse(forced) : activateByKey(license, ...scene);
};

/** `undefined`: nothing has changed. */
function eventOfActivated(key: LicenseKey, { domain, add, prove, remove = [] }: Decided, at: Instant) {
  if (prove) return eventOfProven(key, prove, caller, at);
  if (add === undefined) return undefined;
  const insteadOf = add.provenAt === undefined ? '' : remove.filter((one) => one !== domain).join(' ');
  return event('license.activated', key, caller, at, {
    domain,
    ...(add.provenAt !== undefined && { proven_at: add.provenAt }),
    ...(insteadOf !== '' && { instead_of: insteadOf }),
  });
}

function summaryOf({ license, product, verifications, domains }: LicenseRecord, key: string, now: Instant) {
  // Whoever has an instance's id can deactivate it. Only its client knows it.
  const valid = domains.filter((one) => rules.isValidAt(one, now) && !isInstance(one.domain));
  return {
    key,
    status: answeredStatus(license, now),
    product,
    newest: valid[0],
    domains: valid.filter(({ kind }) => kind === 'slot').slice(0, rules.shownDomains),
    domainsWithoutSlot: valid.filter(({ kind }) => kind !== 'slot').slice(0, rules.shownDomains),
    domainsUsed: license.domainsUsed,
    maxDomains: license.maxDomains,
    verifications: rules.total(license, [verifications]),
    expiresAt: license.expiresAt,
    updatesUntil: license.updatesUntil,
    entitlements: license.entitlements,
    createdAt: license.createdAt,
  };
}
