import { byOf } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import { type Alias, type AliasText, type ForeignKind, leadsAt, mostAliases } from '../licensing/alias.ts';
import { type LicenseKey, mintLicenseKey, parseLicenseKey } from '../licensing/license-key.ts';
import { type Rotated, type RotationRefused, rotate, rotationRefused } from '../licensing/rotation.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseAliases } from '../ports/license-aliases.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { type FindLicense, needingReach, unknownLicense } from './find-license.ts';
import type { Seller } from './seller.ts';
import type { ShownLicense } from './sold-license.ts';

/** Another key that shall lead to a license. */
export interface WantedAlias {
  readonly text: AliasText;
  readonly kind: ForeignKind;
  /** `null` means for ever. */
  readonly validUntil: Instant | null;
}

/**
 * What sellers can do with the keys of a license. Each needs `licenses:manage` on the license. A license that the seller
 * cannot reach is `invalid_key`.
 */
export interface LicenseKeys {
  /**
   * The aliases in the order in which they were added: those of other systems, also if their time is over, and replaced
   * keys that still work.
   */
  aliases(key: string, seller: Seller): Promise<readonly Alias[] | Refused<'invalid_key'>>;
  /** Adds an alias. `alias_taken`: the text leads to a license already, this one or any other. */
  addAlias(
    key: string,
    alias: WantedAlias,
    seller: Seller,
  ): Promise<readonly Alias[] | Refused<'invalid_key' | 'alias_taken' | 'too_many_aliases' | 'expiry_not_later'>>;
  /** From now on, the alias does not lead to the license. A license key that was replaced is never given out again. */
  removeAlias(
    key: string,
    id: number,
    seller: Seller,
  ): Promise<readonly Alias[] | Refused<'invalid_key' | 'alias_not_found'>>;
  /** Replaces the key. The present one stays valid for 0 to `longestKeyOverlap` days. */
  rotate(
    key: string,
    overlapDays: number,
    seller: Seller,
  ): Promise<{ readonly shown: ShownLicense; readonly rotated: Rotated } | Refused<'invalid_key' | RotationRefused>>;
}

interface LicenseKeysPorts {
  readonly store: LicenseAliases;
  readonly find: FindLicense;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'bytes'>;
  readonly write: WriteLetter;
}

export function createLicenseKeys({ store, find, clock, secrets, write }: LicenseKeysPorts): LicenseKeys {
  const shownOf = (aliases: readonly Alias[]) => {
    const now = clock.now();
    return aliases.filter((one) => one.kind !== 'former' || leadsAt(one, now));
  };
  const listed = async (key: LicenseKey) => shownOf(await store.of(key));

  return {
    async aliases(text, seller) {
      const shown = await find(text, seller);
      return isRefused(shown) ? shown : await listed(shown.license.key);
    },

    async addAlias(text, { text: value, kind, validUntil }, seller) {
      const key = parseLicenseKey(text);
      if (key === undefined) return unknownLicense();
      const changed = await store.change(key, (license, { aliases }) => {
        const refused = needingReach(license, seller);
        if (refused) return refused;
        const now = clock.now();
        if (validUntil !== null && validUntil <= now) return refuse('expiry_not_later', 'It must be in the future.');
        if (aliases.filter((one) => one.kind !== 'former').length >= mostAliases) {
          return refuse('too_many_aliases', `A license has at most ${mostAliases} aliases. Remove one first.`);
        }
        return {
          license,
          add: [{ text: value, kind, validUntil, addedAt: now, isByHolder: false }],
          event: event('license.alias_added', key, byOf(seller.actor), now, { kind, valid_until: validUntil }),
        };
      });
      if (!isRefused(changed)) return await listed(key);
      // The text of an import that is not finished, or a new key, is no reason here.
      return changed.reason === 'key_taken' ? unknownLicense() : { ...changed, reason: changed.reason };
    },

    async removeAlias(text, id, seller) {
      const key = parseLicenseKey(text);
      if (key === undefined) return unknownLicense();
      const changed = await store.change(key, (license, { aliases }) => {
        const refused = needingReach(license, seller);
        if (refused) return refused;
        const now = clock.now();
        const alias = shownOf(aliases).find((one) => one.id === id);
        if (alias === undefined) return refuse('alias_not_found', 'The license has no such alias.');
        const { kind, hint } = alias;
        return {
          license,
          ...(kind === 'former' ? { end: { id, at: now } } : { remove: id }),
          event: event('license.alias_removed', key, byOf(seller.actor), now, { kind, hint }),
        };
      });
      if (!isRefused(changed)) return await listed(key);
      return changed.reason === 'invalid_key' || changed.reason === 'alias_not_found'
        ? { ...changed, reason: changed.reason }
        : unknownLicense();
    },

    async rotate(text, overlapDays, seller) {
      // Read before the change: after it, nothing can fail any more.
      const shown = await find(text, seller);
      if (isRefused(shown)) return shown;
      const newKey = mintLicenseKey(secrets);
      const changed = await store.change(
        shown.license.key,
        (license, scene) =>
          needingReach(license, seller) ??
          rotate(license, scene, { newKey, overlapDays, isByHolder: false }, byOf(seller.actor), write, clock.now()),
      );
      if (isRefused(changed)) return rotationRefused(changed);
      return { shown: { ...shown, license: changed.license }, rotated: changed.rotated };
    },
  };
}
