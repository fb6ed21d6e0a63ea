import type { MemoryDatabase } from './database.ts';

type Tables = Pick<MemoryDatabase, 'products' | 'uploads'> & Partial<Pick<MemoryDatabase, 'templates'>>;

/** The keys of the files that the rows of these tables name. */
export function referredKeys({ products, templates, uploads }: Tables): ReadonlySet<string | null> {
  return new Set([
    ...[...products.values()].flatMap(({ zip, thumbnail }) => [zip, thumbnail]),
    ...[...(templates?.values() ?? [])].map(({ zip }) => zip),
    ...uploads.map(({ key }) => key),
  ]);
}
