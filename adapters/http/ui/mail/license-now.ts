import type { LetterOf } from '../../../../core/mail/letter.ts';
import type { Paragraph } from './draft.ts';

type LicenseNow = LetterOf<'order-refunded'>['license'];

/** What a license does after a refund. */
export const afterRefund = {
  works: 'Your license goes on as before.',
  less: 'What you paid for with this order was taken off your license.',
  suspended: 'Your license does not work for now.',
  revoked: 'Your license does not work any more.',
  none: 'There is no license for this order.',
} as const satisfies Record<LicenseNow, string>;

/** What a license does after a dispute began or ended. */
export function afterDispute(now: LicenseNow, dispute: LetterOf<'order-disputed'>['dispute']): string {
  if (now === 'suspended') return 'Your license does not work until your bank has decided.';
  return now === 'works' && dispute === 'won' ? 'Your license works again.' : afterRefund[now];
}

/** What the license of an order does now, or the licenses of a bundle. */
export function licensesNow(
  { license, parts }: Pick<LetterOf<'order-refunded'>, 'license' | 'parts'>,
  textOf: (now: LicenseNow) => string,
): Paragraph[] {
  if (parts.length === 0) return [[textOf(license)]];
  return parts.map(({ title, license }) => [{ given: title }, `: ${textOf(license)}`]);
}
