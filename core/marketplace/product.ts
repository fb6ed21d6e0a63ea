import type { Instant } from '../ports/clock.ts';

/** Something that is sold, and that licenses are issued for. */
export interface Product {
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  /** The seller; `null` for the house's own. */
  readonly ownerId: number | null;
  readonly createdAt: Instant;
}

const slugLength = 80;

/** A title as it goes into an address: lower-case ASCII letters and digits with single hyphens between. */
export function slugOf(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugLength)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'product' : slug;
}

/** The first of `slug`, `slug-2`, `slug-3` … that is not taken. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let suffix = 2; ; suffix++) {
    const candidate = `${slug}-${suffix}`;
    if (!taken.has(candidate)) return candidate;
  }
}
