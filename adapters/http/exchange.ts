import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { shortenLicenseKey } from '../../core/licensing/license-key.ts';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { Unavailable } from '../../core/unavailable.ts';
import type { ClientAddress } from './client-address.ts';
import { Failure, type FailureReason } from './failures.ts';
import { isVerification } from './license/operation.ts';
import type { HttpMetrics } from './metrics.ts';
import { createSampling } from './sampled-log.ts';
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
      if (Object.hasOwn(outages, failure.reason)) state.error = error;
      return failure;
    },
    answered(exchange, seconds) {
      metrics.observe(exchange, seconds);
      if (exchange.state.refused === undefined || sampling.admits(exchange.state.refused)) {
        write(exchange, seconds, log, clientAddress);
      }
    },
    undelivered: (error) => log.debug({ err: error }, 'response not delivered'),
  };
}

const usableRequestId = /^[\w.:/+=@-]{1,128}$/;

/** Returns the id of the request, or a new one if it is missing or unusable. */
export function requestIdOf(given: string): string {
  return usableRequestId.test(given) ? given : randomUUID();
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Unavailable) {
    return new Failure('service_unavailable', { headers: { 'Retry-After': '1' }, cause: error });
  }
  // Sends no `Retry-After`, because a program that retries by itself could do the same thing twice.
  if (error instanceof OutcomeUnknown)
    return new Failure('service_unavailable', { detail: outcomeUnknown, cause: error });
  return new Failure('internal_error', { cause: error });
}

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
  const { requestId, refused, route, licenseKey, error } = state;
  const level = status >= 500 ? 'error' : isVerification(state.endpoint) && !refused ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  log[level](
    {
      requestId,
      method,
      path: route ?? path,
      status,
      milliseconds: Math.round(seconds * 100_000) / 100,
      client: clientAddress(req),
      ...(refused && { refused }),
      ...(licenseKey && { license: shortenLicenseKey(licenseKey) }),
      ...(error !== undefined && { err: error }),
    },
    (refused && outages[refused]) ?? 'request',
  );
}
