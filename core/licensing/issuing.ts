import { type By, type EventType, event } from '../events/event.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseFilter, LicenseStore, NewLicense } from '../ports/license-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import * as rules from './license.ts';
import { type LicenseKey, mintLicenseKey, parseLicenseKey } from './license-key.ts';

/** The terms that a license is issued on. */
export interface Terms {
  readonly productId: number;
  /** 1 to 1,000,000. */
  readonly maxDomains: number;
  readonly expiresAt: Instant | null;
}

/** A license that somebody else minted, and that is taken over. */
export interface Imported extends Terms {
  readonly key: LicenseKey;
  readonly standing: rules.Standing;
}

type Changed<R extends string> = Promise<rules.License | Refused<R | 'invalid_key'>>;

/** What a seller or an administrator does with licenses. Every change is audited. */
export interface Issuing {
  /** Issues `count` licenses under new keys. */
  issue(terms: Terms, count: number, by: By): Promise<LicenseKey[]>;
  /** Issues one license under a key that is given. */
  issueAs(key: LicenseKey, terms: Terms, by: By): Promise<LicenseKey | Refused<'key_taken'>>;
  /** Takes over all or none. */
  import(licenses: readonly Imported[], by: By): Promise<undefined | Refused<'key_taken'>>;
  change(key: string, transition: Exclude<rules.Transition, 'renew'>, by: By): Changed<'transition_not_allowed'>;
  renew(key: string, expiresAt: Instant | null, by: By): Changed<'transition_not_allowed' | 'expiry_not_later'>;
  list(filter: LicenseFilter): Promise<rules.License[]>;
}

const eventOf = {
  suspend: 'license.suspended',
  reinstate: 'license.reinstated',
  revoke: 'license.revoked',
  renew: 'license.renewed',
} as const satisfies Record<rules.Transition, EventType>;

export function createIssuing(store: LicenseStore, clock: Clock, secrets: Secrets): Issuing {
  async function change<R extends string>(
    text: string,
    transition: rules.Transition,
    by: By,
    decide: (license: rules.License, now: Instant) => rules.License | Refused<R>,
  ): Changed<R> {
    const key = parseLicenseKey(text);
    if (key === undefined) return refuse('invalid_key');
    const changed = await store.change(key, undefined, (before) => {
      const now = clock.now();
      const license = decide(before, now);
      if (isRefused(license)) return license;
      const data = { status: rules.statusOf(license, now), expires_at: license.expiresAt };
      return { license, event: event(eventOf[transition], key, by, now, data) };
    });
    return isRefused(changed) ? changed : changed.license;
  }

  function issued(key: LicenseKey, terms: Terms, by: By, now: Instant) {
    const { productId, maxDomains, expiresAt } = terms;
    return {
      license: { key, productId, maxDomains, expiresAt, standing: 'active', createdAt: now } satisfies NewLicense,
      event: event('license.issued', key, by, now, { max_domains: maxDomains, expires_at: expiresAt }),
    };
  }

  return {
    async issue(terms, count, by) {
      const now = clock.now();
      const all = Array.from({ length: count }, () => issued(mintLicenseKey(secrets), terms, by, now));
      const clash = await store.add(
        all.map(({ license }) => license),
        all.map(({ event }) => event),
      );
      if (clash !== undefined)
        throw new Error('A key of 75 random bits was taken: the source of randomness is broken.');
      return all.map(({ license }) => license.key);
    },

    async issueAs(key, terms, by) {
      const { license, event } = issued(key, terms, by, clock.now());
      return (await store.add([license], [event])) ?? key;
    },

    async import(licenses, by) {
      const now = clock.now();
      return await store.add(
        licenses.map((license) => ({ ...license, createdAt: now })),
        licenses.map(({ key, standing }) => event('license.imported', key, by, now, { standing })),
      );
    },

    change: (key, transition, by) =>
      change(key, transition, by, (license, now) => rules.transit(license, transition, now)),

    renew: (key, expiresAt, by) => change(key, 'renew', by, (license, now) => rules.renew(license, expiresAt, now)),

    list: (filter) => store.list(filter),
  };
}
