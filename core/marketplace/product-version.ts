import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';

/** One version of a product. The newest one is what buyers download. Older ones stay until the seller deletes them. */
export interface ProductVersion {
  /** Grows from version to version: 1 for the first one. Deleted versions leave gaps. */
  readonly ordinal: number;
  /** The seller's name for it, such as `1.2.0`. Unique in the product. */
  readonly number: string;
  /** The seller's description of the changes. Can be empty. */
  readonly notes: string;
  /** The storage key of its file. */
  readonly zip: string;
  /** In bytes. `null` if it is not known: versions from before sizes were stored. */
  readonly size: number | null;
  readonly createdAt: Instant;
  /** Licenses whose updates have ended may fetch it too, such as one that closes a security hole. */
  readonly isForEverybody?: boolean;
}

export type NewVersion = Omit<ProductVersion, 'ordinal'>;

/** The number of the version that is published first. */
export const firstVersion = '1';

export const versionLimits = { number: 40, notes: 10_000, versions: 1_000 } as const;

/** Whether a version can have this number: letters, digits and `.+-_`, beginning with a letter or digit. */
export function isVersionNumber(text: string): boolean {
  return text.length <= versionLimits.number && /^[0-9A-Za-z][0-9A-Za-z.+_-]*$/.test(text);
}

/** Returns the next whole number, such as `3` after `1.2.0` and `2.5`. */
export function nextNumber(taken: readonly string[]): string {
  const wholes = taken.flatMap((number) => /^\d{1,9}(?!\d)/.exec(number)?.[0] ?? []);
  return String(Math.max(0, ...wholes.map(Number)) + 1);
}

/** A version that somebody wants to delete. */
export interface DeletableVersion {
  readonly version: ProductVersion;
  readonly isNewest: boolean;
  /** Whether an order agreed on exactly this version, and its buyer can use it, or may be able to later. */
  readonly isClaimed: boolean;
}

/** Why versions cannot be deleted. */
const keptBecause = {
  newest: ({ number }) => `Version ${number} is the newest one, which buyers download. Upload a newer one first.`,
  bought: ({ number }) =>
    `Somebody bought version ${number}, or is about to. It stays unless all these orders end without a payment, are refunded in full or lose a dispute.`,
} as const satisfies Record<string, (version: ProductVersion) => string>;
export type KeptBecause = keyof typeof keptBecause;

/**
 * Refuses to delete a version that buyers need: the newest one, and each one that was the newest when somebody bought the
 * product. Whoever bought an older version can still download that and the newest one.
 */
export function refusingNeeded({ version, isNewest, isClaimed }: DeletableVersion): undefined | Refused<KeptBecause> {
  const reason = isNewest ? 'newest' : isClaimed ? 'bought' : undefined;
  return reason && refuse(reason, keptBecause[reason](version));
}
