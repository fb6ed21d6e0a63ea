import type { Inactive } from '../../core/licensing/license.ts';
import type { LineFault } from '../../core/ports/license-sheet.ts';
import { type Refused, refuse } from '../../core/refusal.ts';
import { mostPoints } from '../../core/selling/usage-hours.ts';
import type { Appearance, SentBy } from './failure-shapes.ts';

export const failures = {
  bad_request: { status: 400, message: 'The request could not be read.' },
  authorization_pending: { status: 400, message: 'Nobody has answered yet. Ask again after the interval.' },
  slow_down: {
    status: 400,
    message: 'This call came too early.',
    figures: { interval: 'Seconds to wait between two calls from now on.' },
  },
  access_denied: { status: 400, message: 'The request was denied.' },
  expired_token: { status: 400, message: 'The code has expired, was used, or never existed. Start again.' },
  unauthorized: { status: 401, message: 'A valid API key is needed in the header X-API-Key.' },
  forbidden: { status: 403, message: 'The API key does not allow this call.' },
  link_expired: { status: 403, message: 'The link has expired. Ask for a new one.', accountCode: 'FORBIDDEN' },
  not_purchased: { status: 403, message: 'The template has not been bought.' },
  quota_exceeded: {
    status: 403,
    message:
      'Your files would exceed the storage that your plan allows. Delete versions of your products that nobody needs.',
    figures: {
      used: 'Bytes that the files of the account use.',
      allowed: 'Bytes that the plan of the account allows.',
    },
  },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This address does not support this method.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  conflict: { status: 409, message: 'This request conflicts with another one.' },
  precondition_failed: { status: 412, message: 'The file is not the one that the request asks for.' },
  payload_too_large: { status: 413, message: 'The request is too large.' },
  unsupported_media_type: { status: 415, message: 'The request body must be JSON (Content-Type: application/json).' },
  range_not_satisfiable: { status: 416, message: 'The file has no such range.' },
  validation_error: { status: 422, message: 'Some of the parameters are not valid.' },
  rate_limit_exceeded: { status: 429, message: 'Too many requests.', accountCode: 'RATE_LIMITED' },
  headers_too_large: { status: 431, message: 'The request line and headers are too large.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.', accountCode: 'INTERNAL' },
  purchase_check_failed: { status: 503, message: 'We cannot check at the moment if the template was bought.' },
  service_unavailable: { status: 503, message: 'The service is not available at the moment. Try again shortly.' },

  invalid_key: { status: 404, message: 'No license has this key.' },
  revoked: { status: 422, message: 'The license was revoked.', verifyStatus: 200 },
  suspended: { status: 422, message: 'The license is suspended.', verifyStatus: 200 },
  expired: { status: 422, message: 'The license has expired.', verifyStatus: 200 },
  invalid_domain: { status: 422, message: 'The license is not activated on this domain.', verifyStatus: 200 },
  not_entitled: { status: 422, message: 'The license does not have this entitlement.', verifyStatus: 200 },
  domain_limit_reached: { status: 422, message: 'The license is already activated on its maximum number of domains.' },
  free_domain_limit_reached: {
    status: 422,
    message: 'The license is already activated on its maximum number of hosts that take no slot.',
  },
  domain_not_found: { status: 422, message: 'The license is not activated on this domain.' },
  domain_not_proven: { status: 403, message: 'The domain must be proven first.' },
  deactivation_not_allowed: { status: 403, message: 'The license key cannot deactivate a domain of this product.' },
  deactivation_too_soon: { status: 409, message: 'A domain of this license was deactivated a short time ago.' },
} as const satisfies Record<string, Appearance> & Record<Inactive, Appearance & { readonly verifyStatus: 200 }>;

export type FailureReason = keyof typeof failures;

/** Error messages for each parameter. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/**
 * Throw it to end a request. The client gets the response that `failures` has for the reason, in the form of the
 * surface. It has no stack trace, because a trace costs more than the refusal itself. If the failure is our fault,
 * `cause` has the trace.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly reason: FailureReason;
  readonly fields: FieldErrors | undefined;
  readonly figures: Readonly<Record<string, number>> | undefined;
  /** The faults of a file. */
  readonly faults: readonly LineFault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    reason: FailureReason,
    more: {
      detail?: string | undefined;
      fields?: FieldErrors;
      figures?: Readonly<Record<string, number>> | undefined;
      faults?: readonly LineFault[];
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(more.detail ?? failures[reason].message, { cause: more.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.reason = reason;
    this.fields = more.fields;
    this.figures = more.figures;
    this.faults = more.faults;
    this.headers = more.headers ?? {};
  }
}

/** What the ranges of usage may contain. */
export const rangeLimits = `At most ${mostPoints.hour} hours or ${mostPoints.day} days. Hours and days are those of UTC.`;

/**
 * The refusals of core that the account API sends, or that are a page of their own on the dashboard. A route that can
 * return a refusal without a row does not compile, nor does a form or button without words for one.
 */
const refusals = {
  forbidden: { account: 'forbidden', page: 'forbidden' },
  not_recorder: { account: 'forbidden' },
  needs_administrator: { account: 'forbidden' },

  not_found: { account: 'not_found', page: 'not_found' },
  user_not_found: { account: 'not_found', page: 'not_found' },
  key_not_found: { account: 'not_found', page: 'not_found' },
  mail_not_found: { account: 'not_found', page: 'not_found' },
  product_not_found: { account: 'not_found', page: 'not_found' },
  version_not_found: { account: 'not_found', page: 'not_found' },
  coupon_not_found: { account: 'not_found', page: 'not_found' },
  offer_not_found: { account: 'not_found', page: 'not_found' },
  code_not_found: { account: 'not_found', page: 'not_found' },
  order_not_found: { account: 'not_found', page: 'not_found' },
  subscription_not_found: { account: 'not_found', page: 'not_found' },
  claim_not_found: { account: 'not_found', page: 'not_found' },
  rating_not_found: { account: 'not_found', page: 'not_found' },
  alias_not_found: { account: 'not_found' },
  webhook_not_found: { account: 'not_found', page: 'not_found' },
  delivery_not_found: { account: 'not_found', page: 'not_found' },
  invalid_key: { account: 'not_found', page: 'not_found', message: 'There is no license with this key.' },
  domain_not_found: { account: 'not_found', message: failures.domain_not_found.message },

  changed_meanwhile: { account: 'conflict' },
  product_archived: { account: 'conflict' },
  ids_in_use: { account: 'conflict' },
  transition_not_allowed: { account: 'conflict' },
  domains_in_use: { account: 'conflict' },
  expiry_not_later: { account: 'conflict' },
  clock_not_allowed: { account: 'conflict' },
  clock_too_far: { account: 'validation_error', field: 'advance' },
  suspended: { account: 'conflict', message: 'The license is suspended. Reinstate it first.' },
  revoked: { account: 'conflict', message: 'The license was revoked.' },
  expired: { account: 'conflict', message: 'The license has expired. Renew it first.' },
  domain_limit_reached: { account: 'conflict', message: failures.domain_limit_reached.message },
  free_domain_limit_reached: { account: 'conflict', message: failures.free_domain_limit_reached.message },
  same_domain: { account: 'conflict' },
  domain_is_moving: { account: 'conflict' },
  domain_already_activated: { account: 'conflict' },
  move_limit_reached: { account: 'conflict' },
  version_exists: { account: 'conflict' },
  too_many_versions: { account: 'conflict' },
  offer_exists: { account: 'conflict' },
  offer_needed: { account: 'conflict' },
  bundle_without_files: { account: 'conflict' },
  bundle_without_licenses: { account: 'conflict' },
  too_many_offers: { account: 'conflict' },
  too_many_licenses: { account: 'conflict' },
  too_many_bundles: { account: 'conflict' },
  coupon_exists: { account: 'conflict' },
  too_many_coupons: { account: 'conflict' },
  too_many_codes: { account: 'conflict' },
  newest: { account: 'conflict' },
  bought: { account: 'conflict' },
  payment_act_not_allowed: { account: 'conflict' },
  refund_not_possible: { account: 'conflict' },
  order_changed: { account: 'conflict' },
  transaction_counted: { account: 'conflict' },
  transaction_not_final: { account: 'conflict' },
  transaction_final: { account: 'conflict' },
  transaction_needed: { account: 'conflict' },
  claim_decided: { account: 'conflict' },
  too_many_claims: { account: 'conflict' },
  subscription_ended: { account: 'conflict' },
  webhook_off: { account: 'conflict' },
  sent_too_often: { account: 'conflict' },
  has_address: { account: 'conflict' },
  too_many_webhooks: { account: 'conflict' },
  alias_taken: { account: 'conflict', message: 'A license has this alias already.' },
  too_many_aliases: { account: 'conflict' },
  rotation_limit_reached: { account: 'conflict' },
  export_needs_product: {
    account: 'validation_error',
    field: 'product',
    message: 'It or `map` is needed with `from`.',
  },
  product_needs_system: { account: 'validation_error', field: 'product', message: 'It needs `from`.' },
  their_product_needs_system: { account: 'validation_error', field: 'their_product', message: 'It needs `from`.' },
  their_product_needs_product: {
    account: 'validation_error',
    field: 'product',
    message: 'It is needed with `their_product`.',
  },
  map_needs_system: { account: 'validation_error', field: 'map', message: 'It needs `from`.' },
  product_and_map: {
    account: 'validation_error',
    field: 'map',
    message: 'It names all products. Leave out `product` and `their_product`.',
  },
  invalid_map: { account: 'validation_error', field: 'map' },
  unknown_place: { account: 'validation_error', field: 'cursor', page: 'not_found' },
  invalid_terms: { account: 'validation_error', field: 'terms' },
  invalid_offer: { account: 'validation_error' },
  invalid_bundle: { account: 'validation_error', field: 'bundle' },
  transaction_invalid: { account: 'validation_error', field: 'transaction' },
  address_invalid: { account: 'validation_error', field: 'to' },
  wrong_signature: { account: 'validation_error', field: 'signature' },
  part_not_found: { account: 'validation_error', field: 'parts' },
  invalid_coupon: { account: 'validation_error' },
  invalid_prices: { account: 'validation_error', field: 'prices' },
  amount_not_possible: { account: 'validation_error', field: 'amount' },
  currency_not_offered: { account: 'validation_error', field: 'currency' },
  invalid_number: { account: 'validation_error', field: 'number' },
  notes_too_long: { account: 'validation_error', field: 'count' },
  url_not_allowed: { account: 'validation_error', field: 'url' },
  invalid_since: { account: 'validation_error', field: 'since' },
  days_only: { account: 'validation_error', field: 'by', message: 'Licenses have figures of days only.' },
  range_empty: { account: 'validation_error', field: 'to', message: 'It must be after `from`.' },
  range_too_long: { account: 'validation_error', field: 'from', message: `The range is too long. ${rangeLimits}` },

  not_tried: { account: 'service_unavailable' },
  too_many_attempts: { account: 'rate_limit_exceeded' },
  quota_exceeded: { account: 'quota_exceeded' },
  not_purchased: { account: 'not_purchased' },
  purchase_check_failed: { account: 'purchase_check_failed' },
  authorization_pending: { account: 'authorization_pending' },
  slow_down: { account: 'slow_down' },
  access_denied: { account: 'access_denied' },
  expired_token: { account: 'expired_token' },
} as const satisfies Record<string, SentBy>;
type Refusals = typeof refusals;

/** The refusals of core that the account API sends as one of these failures. */
export type SentAs<Reason extends FailureReason> = {
  [Refusal in keyof Refusals]: Refusals[Refusal]['account'] extends Reason ? Refusal : never;
}[keyof Refusals];

/** The refusals of core that are a page of their own on the dashboard. */
export type OwnPage = {
  [Refusal in keyof Refusals]: Refusals[Refusal] extends { page: string } ? Refusal : never;
}[keyof Refusals];

/**
 * Returns a refusal of core as the account API sends it. Throws it if it is about a parameter. `faults` are parameters
 * that refusals are about in this call only.
 */
export function sentToAccount<Refusal extends keyof Refusals>(
  { reason, detail, figures }: Refused<Refusal>,
  faults: Readonly<Record<string, string>> = {},
): Refused<Refusals[Refusal]['account']> {
  const { account, field = faults[reason], message }: SentBy = refusals[reason];
  const text = detail ?? message;
  if (account === 'rate_limit_exceeded') throw tooOften({ detail: text, figures });
  if (field === undefined) return refuse<Refusals[Refusal]['account']>(account, text, figures);
  throw new Failure('validation_error', { fields: { [field]: [text ?? reason] } });
}

/** A conflict that ends by itself. Says when another try is worth it, if that is known. */
export function busy({ detail, figures }: Refused): Failure {
  return forNow(refuse('conflict', detail, figures));
}

/** A refusal that ends by itself. Says when another try is worth it, if that is known. */
export function forNow({ reason, detail, figures }: Refused<FailureReason>): Failure {
  const wait = figures?.retry_after;
  return new Failure(reason, { detail, ...(wait !== undefined && { headers: { 'Retry-After': String(wait) } }) });
}

/** Something that can only be done so often. Says when the next try is worth it. */
export function tooOften({
  detail,
  figures,
}: {
  readonly detail?: string | undefined;
  readonly figures?: Refused['figures'] | undefined;
}): Failure {
  return new Failure('rate_limit_exceeded', {
    detail,
    headers: { 'Retry-After': String(figures?.retry_after ?? 60) },
  });
}

/** Returns the page of its own that a refusal is on the dashboard, if it is one. */
export function pageOfRefusal(reason: string): SentBy['page'] {
  const all: Readonly<Record<string, SentBy>> = refusals;
  return Object.hasOwn(all, reason) ? all[reason]?.page : undefined;
}
