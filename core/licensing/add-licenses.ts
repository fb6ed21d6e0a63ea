import type { By } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { LicenseStore, NewLicense } from '../ports/license-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { type Refused, refuse } from '../refusal.ts';
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
  const { licenses, events } = underNewKeys(secrets, terms, count, by);
  if ((await store.add(licenses, events)) !== undefined) throw keysAreTaken();
  return licenses;
}

/** The same, unless the owner would have more than `most` licenses. */
export async function addWithin(
  store: Pick<LicenseStore, 'addWithin'>,
  secrets: Secrets,
  terms: Omit<NewLicense, 'key'>,
  count: number,
  by: By,
  owner: { readonly id: UserId; readonly most: number },
): Promise<NewLicense[] | Refused<'too_many_licenses'>> {
  const { licenses, events } = underNewKeys(secrets, terms, count, by);
  const { reason } = (await store.addWithin(owner, licenses, events)) ?? {};
  if (reason === 'key_taken') throw keysAreTaken();
  return reason === undefined ? licenses : refuse(reason);
}

function underNewKeys(secrets: Secrets, terms: Omit<NewLicense, 'key'>, count: number, by: By) {
  const licenses = Array.from({ length: count }, () => ({ ...terms, key: mintLicenseKey(secrets) }));
  return { licenses, events: licenses.map((license) => eventOfNew.issued(license, by, license.createdAt)) };
}

function keysAreTaken(): Error {
  return new Error('A new key with 75 random bits is already in use: the random number generator is broken.');
}
