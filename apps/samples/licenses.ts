import type { By } from '../../core/events/event.ts';
import type { ProductId } from '../../core/id.ts';
import { addUnderNewKeys } from '../../core/licensing/add-licenses.ts';
import { normalizeDomain } from '../../core/licensing/domain-name.ts';
import type { LicenseStatus } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { noNotes } from '../../core/licensing/license-notes.ts';
import type { Licensing } from '../../core/licensing/licensing.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import { day } from '../../core/time.ts';
import { done } from './sample.ts';

/** The keys of a license in each status, and of one that was never activated. */
export type SampleKeys = Readonly<Record<LicenseStatus | 'unused', LicenseKey>>;

/** Adds a license of the product in each status, issued in the last weeks to several holders. The active one is activated on `app.example.com`, its only domain. */
export async function addSampleLicenses(
  {
    store,
    licensing,
    secrets,
    clock,
  }: {
    readonly store: Pick<LicenseStore, 'add'>;
    readonly licensing: Pick<Licensing, 'activate'>;
    readonly secrets: Secrets;
    readonly clock: Clock;
  },
  productId: ProductId,
  by: By,
): Promise<SampleKeys> {
  const now = clock.now();
  const issued = (days: number, name: string, email: string) => {
    const notes = { ...noNotes, holder: { name, email } };
    return {
      productId,
      maxDomains: 1,
      expiresAt: null,
      standing: 'active',
      createdAt: now - days * day,
      notes,
    } as const;
  };
  // The oldest first, as in other lists. The expired one ran for 30 days.
  const samples = {
    expired: { ...issued(31, 'Alan Turing', 'alan@example.com'), expiresAt: now - day },
    active: issued(24, 'Ada Lovelace', 'ada@example.com'),
    suspended: { ...issued(17, 'Edsger Dijkstra', 'edsger@example.com'), standing: 'suspended' },
    revoked: { ...issued(10, 'Katherine Johnson', 'katherine@example.com'), standing: 'revoked' },
    unused: { ...issued(3, 'Grace Hopper', 'grace@example.com'), maxDomains: 3, expiresAt: now + 362 * day },
  } as const;
  const keys: Partial<Record<keyof typeof samples, LicenseKey>> = {};
  for (const [name, terms] of Object.entries(samples)) {
    const [added] = await addUnderNewKeys(store, secrets, terms, 1, by);
    if (added) keys[name as keyof typeof samples] = added.key;
  }
  const all = keys as SampleKeys;
  const domain = normalizeDomain('app.example.com');
  if (domain) done(await licensing.activate({ licenseKey: all.active, domain }));
  return all;
}
