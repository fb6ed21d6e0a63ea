import { event } from '../events/event.ts';
import type { Product } from '../marketplace/product.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { Freshness, LicenseStore } from '../ports/license-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import * as hosts from './activations.ts';
import type { DomainName } from './domain-name.ts';
import * as rules from './license.ts';
import { eventOfRemoved } from './license-events.ts';
import { hasValidCheckCharacter, keyHint, type LicenseKey, parseLicenseKey } from './license-key.ts';

/** A license key as the caller wrote it, and the domain that uses it. */
export interface AskedHost {
  readonly licenseKey: string;
  readonly domain: DomainName;
}

/** A host that also needs an entitlement, if one is given. */
export interface VerifiedHost extends AskedHost {
  readonly entitlement?: string | undefined;
}

/** A host after a successful change, with the license's canonical key and the name under which the host is activated. */
export interface ActivatedHost {
  readonly key: LicenseKey;
  readonly domain: DomainName;
}

export interface LicenseSummary extends rules.Rights {
  readonly key: LicenseKey;
  readonly status: rules.LicenseStatus;
  readonly product: Pick<Product, 'id' | 'title' | 'slug'>;
  /** Of all activations, the last one. */
  readonly newest: rules.Activation | undefined;
  /** Those that take a slot, newest first, and at most `shownDomains`. A host that is being moved shares a slot. */
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

/** The four operations of the license API. */
export interface Licensing {
  /** Takes a slot for the domain, if its kind needs one. Changes nothing if the domain is already activated. */
  activate(
    host: AskedHost,
  ): Promise<
    ActivatedHost | Refused<'invalid_key' | rules.Inactive | 'domain_limit_reached' | 'free_domain_limit_reached'>
  >;
  /** Frees the domain's slot, in every status. The next verification of the domain fails. */
  deactivate(host: AskedHost): Promise<ActivatedHost | Refused<'invalid_key' | 'domain_not_found'>>;
  /** Returns a verdict, and counts it if it is `valid`. */
  verify(host: VerifiedHost): Promise<rules.Verdict>;
  /** Returns the current state. With `stale`, the state may be some seconds old. */
  status(licenseKey: string, freshness?: Freshness): Promise<LicenseSummary | Refused<'invalid_key'>>;
}

const caller = { actor: 'license-api' };

interface LicensingPorts {
  readonly store: LicenseStore;
  readonly clock: Clock;
}

export function createLicensing({ store, clock }: LicensingPorts): Licensing {
  return {
    async activate({ licenseKey, domain }) {
      const key = parseLicenseKey(licenseKey);
      if (key === undefined) return unknownKey(key);
      const change = await store.change(key, [domain], (license, scene) => {
        const now = clock.now();
        const decision = hosts.activate(license, scene, domain, now);
        if (isRefused(decision) || decision.add === undefined) return decision;
        return { ...decision, event: event('license.activated', key, caller, now, { domain: decision.domain }) };
      });
      return isRefused(change) ? explain(change, key) : { key, domain: change.domain };
    },

    async deactivate({ licenseKey, domain }) {
      const key = parseLicenseKey(licenseKey);
      if (key === undefined) return unknownKey(key);
      const change = await store.change(key, [domain], (license, scene) => {
        const now = clock.now();
        const decision = hosts.deactivate(license, scene, domain, now);
        return isRefused(decision) ? decision : { ...decision, event: eventOfRemoved(key, decision, caller, now) };
      });
      return isRefused(change) ? explain(change, key) : { key, domain: change.domain };
    },

    async verify({ licenseKey, domain, entitlement }) {
      const key = parseLicenseKey(licenseKey);
      if (key === undefined) return unknownKey(key);
      const verdict = await store.verify(key, domain, (license, activation) => {
        const judged = rules.verify(license, activation, clock.now());
        return entitlement === undefined ? judged : rules.needingEntitlement(judged, entitlement);
      });
      return isRefused(verdict) ? explain(verdict, key) : verdict;
    },

    async status(licenseKey, freshness) {
      const key = parseLicenseKey(licenseKey);
      const record = key && (await store.find(key, freshness));
      if (record === undefined) return unknownKey(key);
      const { license, product, verifications } = record;
      const now = clock.now();
      const valid = record.domains.filter((one) => rules.isValidAt(one, now));
      return {
        key: license.key,
        status: rules.statusOf(license, now),
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
    },
  };
}

function explain<R extends string>(refused: Refused<R>, key: LicenseKey): Refused<R | 'invalid_key'> {
  return refused.reason === 'invalid_key' ? unknownKey(key) : refused;
}

/** The message explains whether the key is malformed, mistyped or just unknown. */
function unknownKey(key: LicenseKey | undefined): Refused<'invalid_key'> {
  if (key === undefined) return refuse('invalid_key', keyHint);
  if (hasValidCheckCharacter(key)) return refuse('invalid_key');
  return refuse(
    'invalid_key',
    'No license has this key. Its check character is wrong, so the key was probably mistyped.',
  );
}
