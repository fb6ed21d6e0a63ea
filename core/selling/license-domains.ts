import { byOf } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import { type Decided, deactivate } from '../licensing/activations.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import { eventOfRemoved } from '../licensing/license-events.ts';
import { parseLicenseKey } from '../licensing/license-key.ts';
import type { Bound } from '../licensing/licensing.ts';
import { type DecidedMove, type Move, type MoveRefused, move } from '../licensing/move.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { needingReach, unknownLicense } from './find-license.ts';
import type { Seller } from './seller.ts';

/** A host after a move. `endsAt` is the time at which `from` ends, or `undefined` if the same move was made before. */
export interface Moved extends Bound {
  readonly endsAt: Instant | undefined;
}

/**
 * What sellers do with the domains of a license. Each needs `licenses:manage` on the license. A license that the seller
 * cannot reach is `invalid_key`.
 */
export interface LicenseDomains {
  /** Moves the license from one host to another. `domain` is the name under which it is activated on the new one. */
  move(key: string, move: Move, seller: Seller): Promise<Moved | Refused<MoveRefused | 'invalid_key'>>;
  /** Frees the slot of a host, in every status of the license. */
  remove(key: string, domain: DomainName, seller: Seller): Promise<Bound | Refused<'domain_not_found' | 'invalid_key'>>;
}

export function createLicenseDomains(store: LicenseStore, clock: Clock): LicenseDomains {
  return {
    async move(text, asked, seller) {
      const key = parseLicenseKey(text);
      if (key === undefined) return unknownLicense();
      const changed = await store.change(key, [asked.from, asked.to], (license, scene) => {
        const refused = needingReach(license, seller);
        if (refused) return refused;
        const now = clock.now();
        const decided: DecidedMove | Refused<MoveRefused> = move(license, scene, asked, now);
        if (isRefused(decided) || decided.moved === undefined) return decided;
        const data = { domain: decided.moved.from, to: decided.domain, ends_at: decided.moved.endsAt };
        return { ...decided, event: event('license.domain_moved', key, byOf(seller.actor), now, data) };
      });
      if (isRefused(changed)) return changed;
      return { key, domain: changed.domain, endsAt: changed.moved?.endsAt };
    },

    async remove(text, domain, seller) {
      const key = parseLicenseKey(text);
      if (key === undefined) return unknownLicense();
      const changed = await store.change(key, [domain], (license, scene) => {
        const refused = needingReach(license, seller);
        if (refused) return refused;
        const now = clock.now();
        const decided: Decided | Refused<'domain_not_found'> = deactivate(license, scene, domain, now);
        if (isRefused(decided)) return decided;
        return { ...decided, event: eventOfRemoved(key, decided, byOf(seller.actor), now) };
      });
      if (isRefused(changed)) return changed;
      return { key, domain: changed.domain };
    },
  };
}
