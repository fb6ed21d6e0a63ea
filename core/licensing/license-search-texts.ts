import { searchTexts } from '../accounts/user-search.ts';
import { compared, searchable } from '../search-texts.ts';
import { normalizeDomain } from './domain-name.ts';
import type { LicenseNotes } from './license-notes.ts';

/** The texts by which a search finds a license. The database itself adds the domains and the end of the key. */
export const noteTexts = {
  holder: ({ holder }) => (holder === null ? [] : searchTexts({ name: holder.name ?? '', email: holder.email ?? '' })),
  reference: ({ reference }) => (reference === null ? [] : [compared(searchable(reference).trim())]),
} as const satisfies Record<string, (notes: Pick<LicenseNotes, 'holder' | 'reference'>) => string[]>;

/** The text that a text of a license must begin with. Of an address on the web, its host. Empty if all licenses match. */
export function searchedLicense(search: string): string {
  const text = search.replaceAll('\0', '').trim();
  const host = /^https?:\/\//i.test(text) ? normalizeDomain(text) : undefined;
  return host ?? compared(searchable(text));
}
