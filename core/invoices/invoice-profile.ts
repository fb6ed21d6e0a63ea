import { isPlainAddress } from '../mail/mail.ts';
import type { CheckTaxId } from '../ports/tax-ids.ts';
import { isRefused, type Refused, refuseAll, together } from '../refusal.ts';
import { type BillingDetails, type BillingFault, checkedBilling, isPlainLine } from './billing-details.ts';
import type { IncludedTax } from './tax-line.ts';

/** What a seller's invoices say of the seller. */
export interface InvoiceProfile extends BillingDetails {
  /** Can be empty. */
  readonly email: string;
  /** Stands at the end of each invoice, such as why it has no tax. Several lines. Can be empty. */
  readonly note: string;
  /** Before the numbers of invoices and credit notes. Empty, or ends in `-`, `/` or `_`, so that no two numbers look the same. */
  readonly prefix: string;
  /** The tax that all prices contain. `null`: none, or it is added to the price. */
  readonly includedTax: IncludedTax | null;
  /** The seller charges no VAT to anybody, as small companies in many countries. So no buyer owes it either. */
  readonly isVatExempt?: boolean;
}

/** The largest numbers of characters. */
export const profileLimits = { email: 254, note: 500, noteLines: 6, prefix: 12, taxName: 40 } as const;

export type ProfileFault =
  | BillingFault
  | 'email_invalid'
  | 'prefix_invalid'
  | 'note_invalid'
  | 'tax_rate_invalid'
  | 'exempt_with_tax';

/** Checks what a seller has typed. A refusal has all faults. */
export function checkedProfile(typed: InvoiceProfile, checkTaxId: CheckTaxId): InvoiceProfile | Refused<ProfileFault> {
  const party = checkedBilling(typed, checkTaxId);
  const { email, prefix, includedTax, isVatExempt = false } = typed;
  const note = typed.note.replaceAll('\r\n', '\n').trim();
  const noteLines = note.split('\n');
  const isAddress = email === '' || (email.length <= profileLimits.email && isPlainAddress(email));
  const isShort = [...note].length <= profileLimits.note && noteLines.length <= profileLimits.noteLines;
  const wrong = refuseAll<ProfileFault>([
    ['email_invalid', !isAddress],
    ['prefix_invalid', !isPrefix(prefix)],
    ['note_invalid', !isShort || !noteLines.every(isPlainLine)],
    ['tax_rate_invalid', includedTax !== null && !isTax(includedTax)],
    ['exempt_with_tax', isVatExempt && includedTax !== null],
  ]);
  if (isRefused(party)) return wrong === undefined ? party : together<ProfileFault>(party, wrong);
  return wrong ?? { ...party, email, note, prefix, includedTax, ...(isVatExempt && { isVatExempt }) };
}

/** Credit notes have `CN-` after the prefix. */
function isPrefix(prefix: string): boolean {
  return prefix.length <= profileLimits.prefix && /^(?:[A-Za-z0-9/_-]*[/_-])?$/.test(prefix) && !/cn-$/i.test(prefix);
}

function isTax({ name, rate }: IncludedTax): boolean {
  const isName = name.trim() !== '' && [...name].length <= profileLimits.taxName && isPlainLine(name);
  return isName && rate > 0 && rate <= 100 && Math.abs(rate * 1_000 - Math.round(rate * 1_000)) < 1e-6;
}
