import { type By, type EventType, event } from '../events/event.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseImports } from '../ports/license-imports.ts';
import type { LicenseFilter, LicenseStore, NewLicense } from '../ports/license-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { createImporting, type Importing } from './importing.ts';
import * as rules from './license.ts';
import { eventOfNew } from './license-events.ts';
import { type LicenseKey, mintLicenseKey, parseLicenseKey } from './license-key.ts';
import type { Terms } from './terms.ts';

type Changed<R extends string> = Promise<rules.License | Refused<R | 'invalid_key'>>;

/** The operations of sellers and administrators on licenses. The audit trail records every change. */
export interface Issuing extends Importing {
  /** Issues `count` licenses under new keys, in one transaction. For more than a few hundred, use `issueMany`. */
  issue(terms: Terms, count: number, by: By): Promise<LicenseKey[]>;
  /** Issues one license under the given key. */
  issueAs(key: LicenseKey, terms: Terms, by: By): Promise<LicenseKey | Refused<'key_taken'>>;
  change(key: string, transition: rules.PlainTransition, by: By): Changed<'transition_not_allowed'>;
  renew(key: string, expiresAt: Instant | null, by: By): Changed<'transition_not_allowed' | 'expiry_not_later'>;
  list(filter: LicenseFilter): Promise<rules.License[]>;
}

const eventOf = {
  suspend: 'license.suspended',
  reinstate: 'license.reinstated',
  revoke: 'license.revoked',
  renew: 'license.renewed',
} as const satisfies Record<rules.Transition, EventType>;

export function createIssuing(store: LicenseStore, imports: LicenseImports, clock: Clock, secrets: Secrets): Issuing {
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
    const license: NewLicense = { key, productId, maxDomains, expiresAt, standing: 'active', createdAt: now };
    return { license, event: eventOfNew.issued(license, by, now) };
  }

  return {
    ...createImporting(imports, clock, secrets),

    async issue(terms, count, by) {
      const now = clock.now();
      const all = Array.from({ length: count }, () => issued(mintLicenseKey(secrets), terms, by, now));
      const clash = await store.add(
        all.map(({ license }) => license),
        all.map(({ event }) => event),
      );
      if (clash !== undefined)
        throw new Error('A new key with 75 random bits is already in use: the random number generator is broken.');
      return all.map(({ license }) => license.key);
    },

    async issueAs(key, terms, by) {
      const { license, event } = issued(key, terms, by, clock.now());
      return (await store.add([license], [event])) ?? key;
    },

    change: (key, transition, by) =>
      change(key, transition, by, (license, now) => rules.transit(license, transition, now)),

    renew: (key, expiresAt, by) => change(key, 'renew', by, (license, now) => rules.renew(license, expiresAt, now)),

    list: (filter) => store.list(filter),
  };
}
