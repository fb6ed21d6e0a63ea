import escapeHtml from 'escape-html';
import { dayOf } from '../../../core/day-text.ts';
import type { ForeignLicense } from '../../../core/licensing/clients/foreign-license.ts';
import type { CheckedSlmLicense, SlmAnswer } from '../../../core/licensing/clients/slm-domains.ts';
import type { KeyNotEnough } from '../../../core/licensing/domain-proof.ts';
import type { LicenseStatus } from '../../../core/licensing/license.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Refused } from '../../../core/refusal.ts';
import type { SlmOperation } from '../counted-as.ts';
import type { Envelope } from '../envelopes.ts';
import { type FailureReason, failures } from '../failures.ts';

type Reason = NonNullable<SlmAnswer['refused']>['reason'];

/** The form of failures. They have no `error_code`: a client must not take one for the end of its license. */
export const slmEnvelope: Envelope = {
  statusOf: (reason) => failures[reason].status,
  bodyOf: ({ message }) => ({ result: 'error', message }),
};

interface Saying {
  readonly code: number;
  readonly message: string;
  /** What metrics and logs say. */
  readonly refused: FailureReason;
}

const blocked = { code: 20, message: 'Your License key is blocked' } as const;
/** The code of what the other system does not know. Its clients show the message, so it says what to do. */
const ourCode = 120;
const full = { code: 50, message: 'Reached maximum allowable domains', refused: 'domain_limit_reached' } as const;

/** How Software License Manager says what we refuse. `%` stands for the domain. */
const sayings: Readonly<Record<Reason | 'invalid_key', Saying>> = {
  suspended: { ...blocked, refused: 'suspended' },
  revoked: { ...blocked, refused: 'revoked' },
  expired: { code: 30, message: 'Your License key has expired', refused: 'expired' },
  already_activated: { code: 40, message: 'License key already in use on %', refused: 'conflict' },
  domain_limit_reached: full,
  free_domain_limit_reached: full,
  invalid_key: { code: 60, message: 'Invalid license key', refused: 'invalid_key' },
  domain_not_proven: ownSaying('domain_not_proven'),
  deactivation_not_allowed: ownSaying('deactivation_not_allowed'),
  deactivation_too_soon: ownSaying('deactivation_too_soon'),
  rate_limit_exceeded: ownSaying('rate_limit_exceeded'),
  domain_missing: { code: 70, message: 'Registered domain information is missing', refused: 'validation_error' },
  domain_not_found: {
    ...{ code: 80, message: 'The license key on this domain is already inactive' },
    refused: 'invalid_domain',
  },
  already_activated_and_full: {
    ...{ code: 110, message: 'Reached maximum activation. License key already in use on %' },
    refused: 'domain_limit_reached',
  },
};

function ownSaying(reason: KeyNotEnough): Saying {
  return { code: ourCode, message: failures[reason].message, refused: reason };
}

/** What metrics and logs say about a refusal. */
export function refusedAs(reason: Reason | 'invalid_key'): FailureReason {
  return sayings[reason].refused;
}

/** Returns the body of a refusal. Its status is always 200. */
export function refusalOf(
  { reason, detail }: Pick<Refused<Reason | 'invalid_key'>, 'reason' | 'detail'>,
  domain: string,
): object {
  const { code, message } = sayings[reason];
  if (code === ourCode) return { result: 'error', message: escapeHtml(detail ?? message), error_code: code };
  // Pages of WordPress print it as HTML.
  return { result: 'error', message: message.replace('%', () => escapeHtml(domain)), error_code: code };
}

/** What is asked of a client without the secret key of its store. */
export const withoutSecret = { result: 'error', message: 'Verification API secret key is invalid', error_code: 90 };

export const done: Readonly<Record<Exclude<SlmOperation, 'slmCheck'>, object>> = {
  slmActivate: { result: 'success', message: 'License key activated' },
  slmDeactivate: { result: 'success', message: 'The license key has been deactivated for this domain' },
};

/** A license without any activation is `pending` there. */
const statuses: Readonly<Record<LicenseStatus, string>> = {
  active: 'active',
  suspended: 'blocked',
  revoked: 'blocked',
  expired: 'expired',
};

/** Returns the body of the answer of slm_check. Numbers are texts, as there. Whoever has a key must not learn whose it is. */
export function renderCheck({ license, domains }: CheckedSlmLicense, now: Instant): object {
  const { key, number, createdAt, expiresAt, maxDomains } = license;
  const reference = license.product.adapters.slm.itemReference ?? '';
  return {
    result: 'success',
    message: 'License key details retrieved.',
    license_key: key,
    status: statusOf(license),
    max_allowed_domains: String(maxDomains),
    email: '',
    registered_domains: domains.map((domain, at) => ({
      ...{ id: String(at + 1), lic_key_id: String(number), lic_key: key },
      ...{ registered_domain: domain, item_reference: reference },
    })),
    date_created: dayOf(createdAt),
    date_renewed: noDay,
    // There, a license is valid on this day too.
    date_expiry: expiresAt === null ? noDay : dayOf(expiresAt - 1),
    date: dayOf(now),
    product_ref: reference,
    first_name: '',
    last_name: '',
    company_name: '',
    txn_id: '',
    subscr_id: '',
  };
}

function statusOf({ status, activations }: ForeignLicense): string {
  return status === 'active' && activations === 0 ? 'pending' : statuses[status];
}

const noDay = '0000-00-00';
