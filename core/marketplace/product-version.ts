import type { Instant } from '../ports/clock.ts';

/** One version of a product. The newest one is what buyers download. Older ones stay. */
export interface ProductVersion {
  /** 1 for the first version, 2 for the next. */
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
