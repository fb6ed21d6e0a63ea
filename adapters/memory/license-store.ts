import { shownDomains, total } from '../../core/licensing/license.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import { addLicense, type MemoryDatabase } from './database.ts';

/** Licenses in maps. Every step is synchronous, so nothing comes between load and save. */
export function createMemoryLicenseStore({ licenses, staged, products, events }: MemoryDatabase): LicenseStore {
  return {
    async add(added, addedEvents) {
      const keys = new Set<string>();
      for (const { key } of added) {
        if (licenses.has(key) || staged.has(key) || keys.has(key))
          return refuse('key_taken', `The key ${key} is taken.`);
        keys.add(key);
      }
      for (const license of added) addLicense(licenses, license);
      events.push(...addedEvents);
      return undefined;
    },

    async find(key) {
      const entry = licenses.get(key);
      const product = entry && products.get(entry.license.productId);
      if (entry === undefined || product === undefined) return undefined;
      const { id, title, slug } = product;
      const domains = [...entry.domains.values()];
      return {
        license: entry.license,
        product: { id, title, slug },
        domains: domains.slice(-shownDomains).reverse(),
        verifications: total({ retired: { verificationCount: 0, lastVerifiedAt: null } }, domains),
      };
    },

    async list({ productId, after, limit }) {
      if (after !== undefined && !licenses.has(after)) return [];
      const keys = [...licenses.keys()];
      return keys
        .slice(after === undefined ? 0 : keys.indexOf(after) + 1)
        .flatMap((key) => licenses.get(key)?.license ?? [])
        .filter((license) => productId === undefined || license.productId === productId)
        .slice(0, limit);
    },

    async change(key, domain, decide) {
      const entry = licenses.get(key);
      if (entry === undefined) return refuse('invalid_key');
      const change = decide(entry.license, domain && entry.domains.get(domain));
      if (isRefused(change) || change.event === undefined) return change;
      entry.license = change.license;
      if (change.add) entry.domains.set(change.add.domain, change.add);
      if (change.remove) entry.domains.delete(change.remove);
      events.push(change.event);
      return change;
    },

    async verify(key, domain, decide) {
      const entry = licenses.get(key);
      const activation = entry?.domains.get(domain);
      const verdict = decide(entry?.license, activation !== undefined);
      if (verdict.kind === 'valid' && activation !== undefined) {
        entry?.domains.set(domain, {
          ...activation,
          verificationCount: activation.verificationCount + 1,
          lastVerifiedAt: Math.max(activation.lastVerifiedAt ?? 0, verdict.at),
        });
      }
      return verdict;
    },
  };
}
