import type { Refused } from '../refusal.ts';

/**
 * Checks the form of a tax id, without asking anybody. `country`: of the company. Returns it as the country writes it, without
 * blanks and points. Of countries whose form is not known, every id is right, and comes back as it is.
 */
export type CheckTaxId = (country: string, taxId: string) => string | Refused<'tax_id_invalid'>;
