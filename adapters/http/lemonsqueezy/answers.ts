import { iso } from '../../../core/iso.ts';
import type { ForeignLicense } from '../../../core/licensing/clients/foreign-license.ts';
import type { ForeignAnswer } from '../../../core/licensing/clients/instances.ts';
import { keyNotEnough } from '../../../core/licensing/domain-proof.ts';
import type { LicenseStatus } from '../../../core/licensing/license.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Instance } from '../../../core/ports/license-instances.ts';
import type { Envelope } from '../envelopes.ts';
import { failures } from '../failures.ts';

/** The field of the answer that says whether the operation succeeded. */
export type Flag = 'activated' | 'valid' | 'deactivated';

type Reason = NonNullable<ForeignAnswer['refused']>['reason'];

const limitReached = { status: 400, error: 'This license key has reached the activation limit.' };
const disabled = { status: 400, error: 'This license key is disabled.' };
const keyNotFound = { status: 404, error: 'license_key not found.' };

/** How Lemon Squeezy says what we refuse. */
const refusals: Readonly<Record<Reason, { readonly status: number; readonly error: string }>> = {
  domain_limit_reached: limitReached,
  free_domain_limit_reached: limitReached,
  suspended: disabled,
  revoked: disabled,
  expired: { status: 400, error: 'This license key has expired.' },
  domain_not_proven: { status: 400, error: failures.domain_not_proven.message },
  deactivation_not_allowed: { status: 400, error: failures.deactivation_not_allowed.message },
  deactivation_too_soon: { status: 400, error: failures.deactivation_too_soon.message },
  rate_limit_exceeded: { status: 429, error: failures.rate_limit_exceeded.message },
  instance_not_found: { status: 404, error: 'instance_id not found.' },
};

const unknownThere: ReadonlySet<Reason> = new Set(keyNotEnough);

const nothing = { license_key: null, instance: null, meta: null };

/** The form of failures: `flag` is false, and `error` says what is wrong. */
export function envelopeOf(flag: Flag): Envelope {
  return {
    statusOf: (reason) => failures[reason].status,
    bodyOf({ message, fields }) {
      const faults = Object.entries(fields ?? {}).flatMap(([name, texts]) => texts.map((text) => `${name}: ${text}`));
      return { [flag]: false, error: faults.length > 0 ? faults.join(' ') : message, ...nothing };
    },
  };
}

/** Returns the status and the body of an answer. Without an answer, no license has the key, or its product does not let these clients in. */
export function answerOf(flag: Flag, answer: ForeignAnswer | undefined): readonly [status: number, body: object] {
  if (answer === undefined) return [keyNotFound.status, { [flag]: false, error: keyNotFound.error, ...nothing }];
  const { license, instance, refused } = answer;
  const { storeId, productId, variantId } = license.product.adapters.lemonsqueezy;
  const { status, error } = refused ? sayingOf(refused) : { status: 200, error: null };
  const body = {
    [flag]: refused === undefined,
    error,
    license_key: {
      id: license.number,
      status: statusOf(license),
      key: license.key,
      activation_limit: license.maxDomains,
      activation_usage: license.domainsUsed,
      created_at: timeOf(license.createdAt),
      expires_at: license.expiresAt === null ? null : timeOf(license.expiresAt),
      test_mode: !license.isLive,
    },
    ...(flag !== 'deactivated' && { instance: instance ? renderInstance(instance) : null }),
    meta: {
      store_id: storeId,
      order_id: null,
      order_item_id: null,
      product_id: productId,
      product_name: license.product.title,
      variant_id: variantId,
      variant_name: 'Default',
      customer_id: null,
      customer_name: null,
      customer_email: null,
    },
  };
  return [status, body];
}

/** Returns the status and the text that clients show to people. If the other system does not know the refusal, the text says what to do. */
function sayingOf({ reason, detail }: NonNullable<ForeignAnswer['refused']>) {
  const saying = refusals[reason];
  return unknownThere.has(reason) ? { ...saying, error: detail ?? saying.error } : saying;
}

const statuses = {
  suspended: 'disabled',
  revoked: 'disabled',
  expired: 'expired',
} as const satisfies Record<Exclude<LicenseStatus, 'active'>, string>;

function statusOf({ status, activations }: ForeignLicense): string {
  if (status === 'active') return activations > 0 ? 'active' : 'inactive';
  return statuses[status];
}

function renderInstance({ id, name, activatedAt }: Instance): object {
  return { id, name, created_at: timeOf(activatedAt) };
}

/** ISO 8601 in UTC with microseconds. */
function timeOf(instant: Instant): string {
  return iso(instant).replace('Z', '000Z');
}
