import type { Inactive } from '../../core/licensing/license.ts';
import type { LineFault } from '../../core/ports/license-sheet.ts';

/** How a failure is sent: its status and its default message, and what differs on some surfaces. */
export interface Appearance {
  readonly status: number;
  readonly message: string;
  /** The code on the account API, if it is not the reason in capitals. */
  readonly accountCode?: string;
  /** The status on verify, because a refused license is a normal result there and no error. */
  readonly verifyStatus?: number;
  /** Numbers that the account API sends in addition to code and message: their names with their descriptions. */
  readonly figures?: Readonly<Record<string, string>>;
}

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
    message: 'Your files would exceed the storage that your plan allows.',
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
  domain_limit_reached: { status: 422, message: 'The license is already activated on its maximum number of domains.' },
  free_domain_limit_reached: {
    status: 422,
    message: 'The license is already activated on its maximum number of hosts that take no slot.',
  },
  domain_not_found: { status: 422, message: 'The license is not activated on this domain.' },
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
