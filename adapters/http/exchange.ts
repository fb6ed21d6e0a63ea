import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { shortenLicenseKey } from '../../core/licensing/license-key.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { Failure } from './failures.ts';
import type { HttpMetrics } from './metrics.ts';
import type { State } from './state.ts';

/** A request and how it was answered, as log, metrics and traces are told. A Koa context is one. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ip: string;
  readonly state: State;
  /** A header of the request, empty where there is none. */
  get(header: string): string;
}

/** Tells what became of requests. */
export interface Reporter {
  /** What the caller is told of what was thrown. What is no `Failure` is logged whole, and told as `internal_error` alone. */
  failed(error: unknown, state: State): Failure;
  answered(exchange: Exchange, seconds: number): void;
  /** The client was gone before it had its answer. */
  undelivered(error: unknown): void;
}

export function createReporter(log: Logger, metrics: Pick<HttpMetrics, 'observe'>): Reporter {
  return {
    failed(error, state) {
      const failure = asFailure(error);
      const { requestId } = state;
      if (failure.reason === 'internal_error') log.error({ err: error, requestId }, 'request failed');
      if (failure.reason === 'service_unavailable') log.warn({ err: error, requestId }, 'unavailable');
      state.refused = failure.reason;
      return failure;
    },
    answered(exchange, seconds) {
      metrics.observe(exchange, seconds);
      write(exchange, seconds, log);
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
  return new Failure('internal_error', { cause: error });
}

/** A line for each request but the successful verifications, which are many and all alike (they show at level `debug`). */
function write({ method, path, status, ip, state }: Exchange, seconds: number, log: Logger): void {
  const { requestId, refused, route, licenseKey } = state;
  const level = status >= 500 ? 'error' : state.envelope === 'verify' && !refused ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  log[level](
    {
      requestId,
      method,
      path: route ?? path,
      status,
      milliseconds: Math.round(seconds * 100_000) / 100,
      client: ip,
      ...(refused && { refused }),
      ...(licenseKey && { license: shortenLicenseKey(licenseKey) }),
    },
    'request',
  );
}
