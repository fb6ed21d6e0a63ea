import { isValidAt, type License, statusOf, total } from '../licensing/license.ts';
import { parseLicenseKey } from '../licensing/license-key.ts';
import { noNotes } from '../licensing/license-notes.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseSearch } from '../ports/license-search.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import { reaches, type Seller } from './seller.ts';
import type { ShownLicense } from './sold-license.ts';

/** The refusal of an unknown key. A license of somebody else, or of the other mode, gets the same. */
export function unknownLicense(): Refused<'invalid_key'> {
  return refuse('invalid_key', 'There is no license with this key.');
}

/** Reads a license that the seller may manage. */
export type FindLicense = (key: string, seller: Seller) => Promise<ShownLicense | Refused<'invalid_key'>>;

export function createFindLicense(
  store: Pick<LicenseStore, 'find'>,
  search: Pick<LicenseSearch, 'notesOf'>,
  clock: Clock,
): FindLicense {
  return async (text, seller) => {
    const key = parseLicenseKey(text);
    const record = key && (await store.find(key));
    if (record === undefined || !reaches(seller, 'licenses:manage', record.license)) return unknownLicense();
    const { license, product, domains, verifications } = record;
    const now = clock.now();
    return {
      license,
      status: statusOf(license, now),
      product,
      notes: (await search.notesOf(license.key)) ?? noNotes,
      domains: domains.filter((one) => isValidAt(one, now)),
      verifications: total(license, [verifications]),
    };
  };
}

/** Refuses a license that the seller may not manage. For decisions, which have loaded the license already. */
export function needingReach(license: License, seller: Seller): undefined | Refused<'invalid_key'> {
  return reaches(seller, 'licenses:manage', license) ? undefined : unknownLicense();
}
