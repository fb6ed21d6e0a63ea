import type { IncomingMessage, ServerResponse } from 'node:http';
import Counter from 'prom-client/lib/counter.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import { isVerification } from './counted-as.ts';
import type { Exchange } from './exchange.ts';

/** Prometheus metrics of the HTTP server. */
export interface HttpMetrics {
  readonly registry: Registry;
  observe(exchange: Exchange, seconds: number): void;
}

export function createHttpMetrics(registry = new Registry()): HttpMetrics {
  const durations = new Histogram({
    name: 'latchkey_http_request_duration_seconds',
    help: 'Time from the request headers to the finished response, by method, declared route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const verifications = new Counter({
    name: 'latchkey_verifications_total',
    help: 'Verifications by outcome: valid, or the reason of the refusal.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    registry,
    observe({ method, status, state }, seconds) {
      durations.observe({ method, route: state.route ?? 'unknown', status }, seconds);
      if (isVerification(state.endpoint)) verifications.inc({ outcome: state.refused ?? 'valid' });
    },
  };
}

/** `GET /metrics` in Prometheus's text format, for a port that is not public. */
export function createMetricsListener(registry: { readonly contentType: string; metrics(): Promise<string> }) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
    } catch {
      response.writeHead(503).end(); // A worker did not send its metrics in time.
    }
  };
}
