import { type By, event } from '../events/event.ts';
import { lettersTo } from '../mail/letters-to.ts';
import type { Instant } from '../ports/clock.ts';
import type { KeyChange, KeyScene } from '../ports/license-aliases.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import { type Refused, refuse } from '../refusal.ts';
import { day } from '../time.ts';
import type { AliasText } from './alias.ts';
import { type License, ownStatusOf } from './license.ts';
import type { LicenseKey } from './license-key.ts';

/** The most days for which a replaced key stays valid. */
export const longestKeyOverlap = 30;

/** The most keys of a license that anybody can replace in a day. Each is kept for ever, and each sends a mail. */
const mostRotationsPerDay = 10;

const year = 365 * day;

/** A replacement of the key of a license. */
export interface Rotation {
  readonly newKey: LicenseKey;
  /** The days for which the present key stays valid: 0 to `longestKeyOverlap`. */
  readonly overlapDays: number;
  /** Whether the holder asks, who may do it only so often in a year. */
  readonly isByHolder: boolean;
}

export type RotationRefused = 'transition_not_allowed' | 'rotation_limit_reached';

/** A replaced key, and until when it is valid. */
export interface Rotated {
  readonly formerKey: LicenseKey;
  readonly formerEndsAt: Instant;
}

/**
 * Replaces the key of a license. The present key becomes an alias that ends. Domains, counts and periods stay. The holder
 * of a live license gets a mail with the new key.
 */
export function rotate(
  before: License,
  { aliases, notes, product, rotationsPerYear }: KeyScene,
  { newKey, overlapDays, isByHolder }: Rotation,
  by: By,
  write: WriteLetter,
  now: Instant,
): (KeyChange & { readonly rotated: Rotated }) | Refused<RotationRefused> {
  if (ownStatusOf(before, now) === 'revoked') {
    return refuse('transition_not_allowed', 'Cannot replace the key of a license that is revoked.');
  }
  const former = aliases.filter(({ kind }) => kind === 'former');
  const madeByHolder = former.filter((one) => one.isByHolder && one.addedAt > now - year);
  if (isByHolder && madeByHolder.length >= rotationsPerYear) {
    return refuse('rotation_limit_reached', tooOften(rotationsPerYear));
  }
  if (former.filter(({ addedAt }) => addedAt > now - day).length >= mostRotationsPerDay) {
    return refuse('rotation_limit_reached', `A key can be replaced at most ${mostRotationsPerDay} times in a day.`);
  }
  const formerKey = before.key;
  const formerEndsAt = now + overlapDays * day;
  const license = { ...before, key: newKey };
  const { holder } = notes;
  const facts = {
    title: product.title,
    licenseKey: newKey,
    formerKey,
    formerEndsAt: overlapDays > 0 ? formerEndsAt : null,
  };
  return {
    license,
    newKey,
    add: [
      { kind: 'former', text: formerKey as string as AliasText, validUntil: formerEndsAt, addedAt: now, isByHolder },
    ],
    event: event('license.rotated', newKey, by, now, { former_key: formerKey, former_valid_until: formerEndsAt }),
    letters:
      holder?.email && before.isLive
        ? lettersTo(
            write,
            { name: holder.name ?? '', address: holder.email },
            { kind: 'license-rotated', name: holder.name ?? '', ...facts },
            now,
          )
        : [],
    rotated: { formerKey, formerEndsAt },
  };
}

function tooOften(perYear: number): string {
  return perYear === 0
    ? 'The seller does not let buyers replace the key. Ask the seller.'
    : `The key can be replaced at most ${perYear === 1 ? 'once' : `${perYear} times`} in a year. Ask the seller.`;
}

/** Returns the refusal that people can meet. A new key has 75 random bits, so that it is taken only if the random number generator is broken. */
export function rotationRefused(
  refused: Refused<'invalid_key' | 'alias_taken' | 'key_taken' | RotationRefused>,
): Refused<'invalid_key' | RotationRefused> {
  const { reason } = refused;
  if (reason === 'alias_taken' || reason === 'key_taken') throw new Error('A new license key is already in use.');
  return { ...refused, reason };
}
