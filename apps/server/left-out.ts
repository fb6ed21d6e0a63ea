import { shortenLicenseKey } from '../../core/licensing/license-key.ts';
import type { LeftOut } from '../../core/ports/license-imports.ts';
import { type LineName, lineTitle } from '../../core/selling/foreign-export.ts';

const reasons = {
  key_taken: 'a license already has this key',
  alias_taken: 'a license already has the key of the other system',
  no_product: 'its product no longer exists',
  no_terms: 'its terms are incomplete',
} as const satisfies Record<LeftOut['why'], string>;

/** The maximum number of lines in a report. */
const mostListed = 100;

/** Returns one text for each left-out line of an import, at most 100 and the number of the others. Shortens keys. */
export function describeLeftOut(leftOut: readonly LeftOut[], name: LineName = 'line'): string[] {
  const first = leftOut
    .slice(0, mostListed)
    .map(({ line, key, why }) => `${lineTitle(name, line)}, ${shortenLicenseKey(key)}: ${reasons[why]}.`);
  return leftOut.length > mostListed ? [...first, `And ${leftOut.length - mostListed} more.`] : first;
}
