import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { Forced, slowFor } from '../../core/licensing/forced.ts';
import { parseLicenseKey, shortenLicenseKey } from '../../core/licensing/license-key.ts';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { TooMuchAtOnce, Unavailable } from '../../core/unavailable.ts';
import type { ClientAddress } from './client-address.ts';
import { isVerification } from './counted-as.ts';
import { Failure, type FailureReason } from './failures.ts';
import type { HttpMetrics } from './metrics.ts';
import type { State } from './state.ts';

/** A request and its response, for log, metrics and traces. A Koa context fits this interface. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly req: IncomingMessage;
  readonly state: State;
  /** Returns a request header, or an empty text if it is missing. */
  get(header: string): string;
}

/** Reports requests to log and metrics. */
export interface Reporter {
  /**
   * Turns a thrown error into the failure for the client. Unknown errors become `internal_error` without details;
   * `answered` logs them in full.
   */
  failed(error: unknown, state: State): Failure;
  /**
   * Counts the exchange and writes at most one log line. If there are very many refusals, it logs only some of them,
   * and the number of the others.
   */
  answered(exchange: Exchange, seconds: number): void;
  /** Logs that the client disconnected before it got its response. */
  undelivered(error: unknown): void;
}

/** The log shows the client's address from `clientAddress`, the same address that rate limits use. */
export function createReporter(
  log: Logger,
  metrics: Pick<HttpMetrics, 'observe'>,
  clientAddress: ClientAddress,
): Reporter {
  const sampling = createSampling((refused, omitted) =>
    log.warn({ refused, omitted }, 'more calls were refused than were logged'),
  );
  return {
    failed(error, state) {
      const failure = asFailure(error);
      state.refused = failure.reason;
      if (error instanceof Forced) state.isForced = true;
      else if (Object.hasOwn(outages, failure.reason)) state.error = error;
      return failure;
    },
    answered(exchange, seconds) {
      if (!isForced(exchange, seconds)) metrics.observe(exchange, seconds);
      if (exchange.state.refused === undefined || sampling.admits(exchange.state.refused)) {
        write(exchange, seconds, log, clientAddress);
      }
    },
    undelivered: (error) => log.debug({ err: error }, 'response not delivered'),
  };
}

/**
 * Whether the clock of a test license forces this failure, or so late a success: no other one of the license API takes so long. Whoever forces it must not
 * alarm the operator.
 */
function isForced({ status, state }: Exchange, seconds: number): boolean {
  return state.isForced === true || (seconds * 1_000 >= slowFor && status < 500 && state.licenseKey !== undefined);
}

const usableRequestId = /^[\w.:/+=@-]{1,128}$/;

/** Returns the id of the request, or a new one if it is missing or unusable. */
export function requestIdOf(given: string): string {
  return usableRequestId.test(given) ? given : randomUUID();
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof TooMuchAtOnce) {
    return new Failure('rate_limit_exceeded', { headers: { 'Retry-After': '1' }, cause: error });
  }
  if (error instanceof Unavailable) {
    return new Failure('service_unavailable', { headers: { 'Retry-After': '1' }, cause: error });
  }
  if (error instanceof Forced) {
    const { reason, detail } = forcedFailures[error.answer];
    return new Failure(reason, { detail, headers: { 'Retry-After': '30' } });
  }
  // Sends no `Retry-After`, because a program that retries by itself could do the same thing twice.
  if (error instanceof OutcomeUnknown)
    return new Failure('service_unavailable', { detail: outcomeUnknown, cause: error });
  return new Failure('internal_error', { cause: error });
}

const forcedFailures = {
  429: {
    reason: 'rate_limit_exceeded',
    detail: 'Too many requests. The clock of this test license forces this answer.',
  },
  503: {
    reason: 'service_unavailable',
    detail: 'The service is not available at the moment. The clock of this test license forces this answer.',
  },
} as const;

const outcomeUnknown =
  'We do not know if the request was carried out: the connection to the database broke. Check before you send it again.';

/** Failures that are our fault, with their log messages. The log line contains the cause. */
const outages: Partial<Record<FailureReason, string>> = {
  internal_error: 'request failed',
  service_unavailable: 'unavailable',
};

/**
 * Logs a request. Successful verifications are logged at level `debug`, because there are many and they are all the
 * same.
 */
function write(
  { method, path, status, req, state }: Exchange,
  seconds: number,
  log: Logger,
  clientAddress: ClientAddress,
): void {
  const { requestId, refused, route, licenseKey, error, isForced } = state;
  const level = status >= 500 && !isForced ? 'error' : isVerification(state.endpoint) && !refused ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  log[level](
    {
      requestId,
      method,
      path: route ?? shownPath(path),
      status,
      milliseconds: Math.round(seconds * 100_000) / 100,
      client: clientAddress(req),
      ...(refused && { refused }),
      ...(licenseKey && { license: shortenLicenseKey(licenseKey) }),
      ...(error !== undefined && { err: error }),
    },
    (refused && !isForced && outages[refused]) || 'request',
  );
}

/** The maximum number of log lines of one kind in a window. Further lines are only counted. */
const most = 50;
/** The length of a window, in milliseconds. */
const window = 1_000;

/** Limits the log lines of each kind. */
export interface Sampling {
  /** Returns whether to write one more line of this kind. */
  admits(kind: string): boolean;
}

/**
 * Admits 50 lines of each kind a second. At the end of the second, calls `omitted` with the number of further lines.
 */
function createSampling(omitted: (kind: string, count: number) => void): Sampling {
  let counts = new Map<string, number>();
  let isOpen = false;

  function end(): void {
    isOpen = false;
    const ended = counts;
    counts = new Map();
    for (const [kind, count] of ended) if (count > most) omitted(kind, count - most);
  }

  return {
    admits(kind) {
      if (!isOpen) {
        isOpen = true;
        setTimeout(end, window).unref();
      }
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return count <= most;
    },
  };
}

/**
 * Ordinary words, such as `sign-in`. No secret looks like this: secrets have digits, capitals or more than 12 letters
 * in a row. License keys in small letters are longer than 20.
 */
const words = /^(?=.{0,20}$)[a-z]{0,12}(?:[-_.][a-z]{0,12})*$/;
/** Ids of rows, and short names such as `v2`. */
const short = /^(?:\d{1,15}|.{1,5})$/;
const longestShown = 200;

/**
 * Returns a path for the log. A part that may be a secret is shortened, whatever kind of secret it is: order tokens,
 * license keys, one-time links, storage keys. So the log of unknown and refused addresses has none in full.
 */
export function shownPath(path: string): string {
  const shown = path.slice(0, longestShown).split('/').map(shownPart).join('/');
  return path.length > longestShown ? `${shown}…` : shown;
}

function shownPart(part: string): string {
  const key = parseLicenseKey(part);
  if (key !== undefined) return shortenLicenseKey(key);
  return short.test(part) || words.test(part) ? part : `${part.slice(0, 4)}…`;
}
