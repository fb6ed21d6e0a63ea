import { decoded } from '../place.ts';
import type { LicensePlace } from '../ports/license-search.ts';
import { type Refused, refuse } from '../refusal.ts';

/** Writes a place as text: the row number and, after `~`, what the list is sorted by. */
export function formatLicensePlace({ id, by }: LicensePlace): string {
  if (by === null) return String(id);
  if ('text' in by) return `${id}~text~${encodeURIComponent(by.text)}`;
  return 'isByKey' in by ? `${id}~key~` : `${id}~expires~${by.expiresAt}`;
}

/** Reads what `formatLicensePlace` writes. */
export function parseLicensePlace(written: string): LicensePlace | Refused<'unknown_place'> {
  const [, digits, kind, value = ''] = /^(\d{1,15})(?:~(text|key|expires)~(.*))?$/s.exec(written) ?? [];
  const by = digits === undefined ? undefined : sortedBy(kind, value);
  if (by === undefined) return refuse('unknown_place', 'This is no place in the list.');
  return { id: Number(digits), by };
}

function sortedBy(kind: string | undefined, value: string): LicensePlace['by'] | undefined {
  if (kind === undefined) return null;
  if (kind === 'expires') return /^\d{1,15}$/.test(value) ? { expiresAt: Number(value) } : undefined;
  if (kind === 'text') {
    const text = decoded(value);
    return text === undefined ? undefined : { text };
  }
  return value === '' ? { isByKey: true } : undefined;
}
