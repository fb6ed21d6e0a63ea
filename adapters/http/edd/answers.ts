import { createHash } from 'node:crypto';
import escapeHtml from 'escape-html';
import { iso } from '../../../core/iso.ts';
import type { ForeignLicense } from '../../../core/licensing/clients/foreign-license.ts';
import type { NoFile } from '../../../core/licensing/clients/site-updates.ts';
import type { SiteAnswer } from '../../../core/licensing/clients/sites.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { parseWholeNumber } from '../../../core/whole-number.ts';
import type { Texts } from '../body.ts';
import type { EddOperation } from '../counted-as.ts';
import type { Envelope } from '../envelopes.ts';
import { type FailureReason, failures } from '../failures.ts';

type Reason = NonNullable<SiteAnswer['refused']>['reason'];

interface Saying {
  /** `error` in the answer of activate. */
  readonly error: string;
  /** `license` in the answer of check. */
  readonly status: string;
  /** What metrics and logs say. */
  readonly refused: FailureReason;
}

const limitReached = {
  error: 'no_activations_left',
  status: 'site_inactive',
  refused: 'domain_limit_reached',
} as const satisfies Saying;

/** How EDD Software Licensing says what we refuse. */
const sayings: Readonly<Record<Reason | 'invalid_key', Saying>> = {
  invalid_key: { error: 'missing', status: 'invalid', refused: 'invalid_key' },
  site_missing: { error: 'missing_url', status: 'site_inactive', refused: 'validation_error' },
  suspended: { error: 'disabled', status: 'disabled', refused: 'suspended' },
  revoked: { error: 'disabled', status: 'disabled', refused: 'revoked' },
  expired: { error: 'expired', status: 'expired', refused: 'expired' },
  domain_limit_reached: limitReached,
  free_domain_limit_reached: limitReached,
  other_item: { error: 'invalid_item_id', status: 'invalid_item_id', refused: 'invalid_key' },
  other_item_name: { error: 'item_name_mismatch', status: 'item_name_mismatch', refused: 'invalid_key' },
  domain_not_proven: { error: 'site_inactive', status: 'site_inactive', refused: 'domain_not_proven' },
  deactivation_not_allowed: { error: 'site_inactive', status: 'valid', refused: 'deactivation_not_allowed' },
  deactivation_too_soon: { error: 'site_inactive', status: 'valid', refused: 'deactivation_too_soon' },
  rate_limit_exceeded: { error: 'site_inactive', status: 'site_inactive', refused: 'rate_limit_exceeded' },
  never_activated: { error: 'site_inactive', status: 'inactive', refused: 'invalid_domain' },
  domain_not_found: { error: 'site_inactive', status: 'site_inactive', refused: 'invalid_domain' },
};

/** What metrics and logs say about an answer. `undefined`: nothing is wrong with the license. */
export function refusedAs(reason: Reason | NoFile | 'invalid_key'): FailureReason | undefined {
  if (reason === 'nothing_released' || reason === 'updates_ended') return undefined;
  return reason === 'invalid_domain' ? reason : sayings[reason].refused;
}

/**
 * The form of failures. Their `license` is left out: a client that does not look at the status must not take a failure for
 * the end of its license.
 */
export const eddEnvelope: Envelope = {
  statusOf: (reason) => failures[reason].status,
  bodyOf: ({ reason, message }) => ({ success: false, error: reason, msg: message }),
};

export type LicenseCall = Exclude<EddOperation, 'eddVersion' | 'eddMetadata'>;

/** Returns the body of an answer. Its status is always 200. `reason`: why it was refused, if it was. */
export function answerOf(
  call: LicenseCall,
  license: ForeignLicense | undefined,
  reason: Reason | 'invalid_key' | undefined,
  sent: Texts,
): object {
  const saying = reason && sayings[reason];
  const { item_id: id = '', item_name: name = '' } = sent;
  const head = {
    item_id: parseWholeNumber(id, 1, Number.MAX_SAFE_INTEGER) ?? false,
    // WordPress may print it as HTML.
    item_name: escapeHtml(name || nameOf(license)),
    checksum: checksumOf(sent),
  };
  switch (call) {
    case 'eddActivate':
      return {
        ...{ success: saying === undefined, license: saying === undefined ? 'valid' : 'invalid' },
        ...head,
        ...(saying && { error: saying.error }),
        ...(license && { ...placesOf(license), ...factsOf(license) }),
      };
    case 'eddCheck':
      return {
        ...{ success: license !== undefined, license: saying?.status ?? 'valid' },
        ...head,
        ...(license && { ...placesOf(license), ...factsOf(license) }),
      };
    case 'eddDeactivate':
      return {
        ...{ success: saying === undefined, license: saying === undefined ? 'deactivated' : 'failed' },
        ...head,
        ...(license && factsOf(license)),
      };
  }
}

function nameOf(license: ForeignLicense | undefined): string {
  return license?.product.adapters.edd.itemName ?? license?.product.title ?? '';
}

function placesOf({ maxDomains, domainsUsed }: ForeignLicense): object {
  return {
    license_limit: maxDomains,
    site_count: domainsUsed,
    activations_left: Math.max(0, maxDomains - domainsUsed),
  };
}

/** Whoever has a key must not learn whose it is. */
function factsOf({ expiresAt }: ForeignLicense): object {
  return {
    expires: expiresAt === null ? 'lifetime' : timeOf(expiresAt),
    payment_id: 0,
    customer_name: '',
    customer_email: '',
    price_id: false,
  };
}

/** `2027-01-24 14:15:07` in UTC. */
export function timeOf(instant: Instant): string {
  return iso(instant).slice(0, 19).replace('T', ' ');
}

/** 32 hexadecimal digits that are the same for the same request. */
function checksumOf({ license = '', item_id: id = '', item_name: name = '', url = '' }: Texts): string {
  return createHash('sha256')
    .update(JSON.stringify([license, id, name, url]))
    .digest('hex')
    .slice(0, 32);
}
