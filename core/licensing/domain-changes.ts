import { type By, event } from '../events/event.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { type Decided, deactivate } from './activations.ts';
import type { DomainName } from './domain-name.ts';
import type { License } from './license.ts';
import { eventOfRemoved } from './license-events.ts';
import type { LicenseKey } from './license-key.ts';
import type { ActivatedHost } from './licensing.ts';
import { type DecidedMove, type Move, type MoveRefused, move } from './move.ts';

/** A host after a move. `endsAt` is the time at which `from` ends, or `undefined` if the same move was made before. */
export interface Moved extends ActivatedHost {
  readonly endsAt: Instant | undefined;
}

/** Refuses a license that somebody may not change. It is asked when nothing else can change the license any more. */
export type MayChange = (license: License) => undefined | Refused<'invalid_key'>;

/** The changes that both sellers and buyers can make to the domains of a license. */
export interface DomainChanges {
  /** Moves the license from one host to another. `domain` is the name under which it is activated on the new one. */
  move(
    key: LicenseKey,
    move: Move,
    by: By,
    mayChange?: MayChange,
  ): Promise<Moved | Refused<MoveRefused | 'invalid_key'>>;
  /** Frees the slot of a host, in every status of the license. */
  remove(
    key: LicenseKey,
    domain: DomainName,
    by: By,
    mayChange?: MayChange,
  ): Promise<ActivatedHost | Refused<'domain_not_found' | 'invalid_key'>>;
}

export function createDomainChanges(store: Pick<LicenseStore, 'change'>, clock: Clock): DomainChanges {
  return {
    async move(key, asked, by, mayChange = anyLicense) {
      const changed = await store.change(key, [asked.from, asked.to], (license, scene) => {
        const refused = mayChange(license);
        if (refused) return refused;
        const now = clock.now();
        const decided: DecidedMove | Refused<MoveRefused> = move(license, scene, asked, now);
        if (isRefused(decided) || decided.moved === undefined) return decided;
        const data = { domain: decided.moved.from, to: decided.domain, ends_at: decided.moved.endsAt };
        return { ...decided, event: event('license.domain_moved', key, by, now, data) };
      });
      if (isRefused(changed)) return changed;
      return { key, domain: changed.domain, endsAt: changed.moved?.endsAt };
    },

    async remove(key, domain, by, mayChange = anyLicense) {
      const changed = await store.change(key, [domain], (license, scene) => {
        const refused = mayChange(license);
        if (refused) return refused;
        const now = clock.now();
        const decided: Decided | Refused<'domain_not_found'> = deactivate(license, scene, domain, now);
        if (isRefused(decided)) return decided;
        return { ...decided, event: eventOfRemoved(key, decided, by, now) };
      });
      if (isRefused(changed)) return changed;
      return { key, domain: changed.domain };
    },
  };
}

const anyLicense: MayChange = () => undefined;
