import { byOf } from '../accounts/role.ts';
import { createDomainChanges, type Moved } from '../licensing/domain-changes.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import { parseLicenseKey } from '../licensing/license-key.ts';
import type { Bound } from '../licensing/licensing.ts';
import type { Move, MoveRefused } from '../licensing/move.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { Refused } from '../refusal.ts';
import { needingReach, unknownLicense } from './find-license.ts';
import type { Seller } from './seller.ts';

/**
 * What sellers can do with the domains of a license. Each needs `licenses:manage` on the license. A license that the
 * seller cannot reach is `invalid_key`.
 */
export interface LicenseDomains {
  /** Moves the license from one host to another. `domain` is the name under which it is activated on the new one. */
  move(key: string, move: Move, seller: Seller): Promise<Moved | Refused<MoveRefused | 'invalid_key'>>;
  /** Frees the slot of a host, in every status of the license. */
  remove(key: string, domain: DomainName, seller: Seller): Promise<Bound | Refused<'domain_not_found' | 'invalid_key'>>;
}

export function createLicenseDomains(store: LicenseStore, clock: Clock): LicenseDomains {
  const changes = createDomainChanges(store, clock);
  return {
    async move(text, asked, seller) {
      const key = parseLicenseKey(text);
      if (key === undefined) return unknownLicense();
      return await changes.move(key, asked, byOf(seller.actor), (license) => needingReach(license, seller));
    },

    async remove(text, domain, seller) {
      const key = parseLicenseKey(text);
      if (key === undefined) return unknownLicense();
      return await changes.remove(key, domain, byOf(seller.actor), (license) => needingReach(license, seller));
    },
  };
}
