import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { shortenLicenseKey } from '../../core/licensing/license-key.ts';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { Unavailable } from '../../core/unavailable.ts';
import type { ClientAddress } from './client-address.ts';
import { verifyEnvelope } from './envelopes.ts';
import { Failure, type FailureReason } from './failures.ts';
import type { HttpMetrics } from './metrics.ts';
import { createSampling } from './sampled-log.ts';
import type { State } from './state.ts';

/** A request and how it was answered, as log, metrics and traces are told. A Koa context is one. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly req: IncomingMessage;
  readonly state: State;
  /** A header of the request, empty where there is none. */
  get(header: string): string;
}

/** Tells what became of requests. */
export interface Reporter {
  /** What the caller is told of what was thrown. What is no `Failure` is told as `internal_error` alone, and logged whole by `answered`. */
  failed(error: unknown, state: State): Failure;
  /** Counts the exchange and writes at most one line. Of a flood of refusals some are written, and how many were not. */
  answered(exchange: Exchange, seconds: number): void;
  /** The client was gone before it had its answer. */
  undelivered(error: unknown): void;
}

/** The log names clients as `clientAddress` does, which is whom calls are counted against. */
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

/** The id that came with a request, or a new one where that is missing or unusable. */
export function requestIdOf(given: string): string {
  return usableRequestId.test(given) ? given : randomUUID();
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Unavailable) {
    return new Failure('service_unavailable', { headers: { 'Retry-After': '1' }, cause: error });
  }
  // Without `Retry-After`: a program that sends the request again by itself could do the same thing twice.
  if (error instanceof OutcomeUnknown)
    return new Failure('service_unavailable', { detail: outcomeUnknown, cause: error });
  return new Failure('internal_error', { cause: error });
}

const outcomeUnknown =
  'We do not know if the request was carried out: the connection to the database broke. Check before you send it again.';

/** The failures that are ours, with what the line says of them. Their cause stands in it. */
const outages: Partial<Record<FailureReason, string>> = {
  internal_error: 'request failed',
  service_unavailable: 'unavailable',
};

/** A line for each request but the successful verifications, which are many and all alike (they show at level `debug`). */
function write(
  { method, path, status, req, state }: Exchange,
  seconds: number,
  log: Logger,
  clientAddress: ClientAddress,
): void {
  const { requestId, refused, route, licenseKey, error } = state;
  const level = status >= 500 ? 'error' : state.envelope === verifyEnvelope && !refused ? 'debug' : 'info';
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
