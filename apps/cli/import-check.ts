import type { Checked } from '../../core/selling/sheet-report.ts';
import type { Imported } from './import-licenses.ts';

type Check = NonNullable<Imported['check']>;

/** Returns a check as the server sends it in the form that it has there. */
export function readCheck(check: Check): Checked {
  return {
    kind: 'checked',
    licenses: {
      first: check.licenses.map(({ max_domains: maxDomains, expires_at: end, ...own }) => {
        return { ...own, maxDomains, expiresAt: end === null ? null : Date.parse(end) };
      }),
      others: check.more_licenses,
    },
    faults: { first: check.faults, others: check.more_faults },
    passedOver: { first: check.passed_over, others: check.more_passed_over },
    unmapped: {
      first: check.unmapped.map(({ their_product: theirProduct, lines }) => ({ theirProduct, lines })),
      others: check.more_unmapped,
    },
  };
}
