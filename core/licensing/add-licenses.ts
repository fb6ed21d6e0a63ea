import type { By } from '../events/event.ts';
import type { LicenseStore, NewLicense } from '../ports/license-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { eventOfNew } from './license-events.ts';
import { mintLicenseKey } from './license-key.ts';

/** So many licenses are issued at once. More take turns: with other work of the account, and with other long writes. */
export const fewLicenses = 10;

/** Issues `count` licenses under new keys, in one transaction. */
export async function addUnderNewKeys(
  store: Pick<LicenseStore, 'add'>,
  secrets: Secrets,
  terms: Omit<NewLicense, 'key'>,
  count: number,
  by: By,
): Promise<NewLicense[]> {
  const licenses = Array.from({ length: count }, () => ({ ...terms, key: mintLicenseKey(secrets) }));
  const clash = await store.add(
    licenses,
    licenses.map((license) => eventOfNew.issued(license, by, license.createdAt)),
  );
  if (clash !== undefined)
    throw new Error('A new key with 75 random bits is already in use: the random number generator is broken.');
  return licenses;
}
