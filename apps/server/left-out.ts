import { shortenLicenseKey } from '../../core/licensing/license-key.ts';
import type { LeftOut } from '../../core/ports/license-imports.ts';

const reasons = {
  key_taken: 'a license has this key already',
  no_product: 'its product is not there any more',
  no_terms: 'its terms are not complete',
} as const satisfies Record<LeftOut['why'], string>;

/** Lines that are told one by one. */
const mostTold = 100;

/** One text for each line of an import that was left out, the first ones only if there are many. Keys are shortened. */
export function toldLeftOut(leftOut: readonly LeftOut[]): string[] {
  const first = leftOut
    .slice(0, mostTold)
    .map(({ line, key, why }) => `Line ${line}, ${shortenLicenseKey(key)}: ${reasons[why]}.`);
  return leftOut.length > mostTold ? [...first, `And ${leftOut.length - mostTold} more.`] : first;
}
