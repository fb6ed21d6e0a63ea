import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Exchange } from './exchange.ts';

/** What the HTTP server tells Prometheus. */
export interface HttpMetrics {
  readonly registry: Registry;
  observe(exchange: Exchange, seconds: number): void;
}

export function createHttpMetrics(registry = new Registry()): HttpMetrics {
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'latchkey_http_request_duration_seconds',
    help: 'Time from the request head to the finished answer, by method, declared route and status.',
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
  const durationsOf = remembering((method: string, route: string, status: number) =>
    durations.labels(method, route, String(status)),
  );
  const verificationsOf = remembering((outcome: string) => verifications.labels(outcome));
  return {
    registry,
    observe({ method, status, state }, seconds) {
      durationsOf(method, state.route ?? 'unknown', status).observe(seconds);
      if (state.envelope === 'verify') verificationsOf(state.refused ?? 'valid').inc();
    },
  };
}

/** Looking a series up by its labels takes longer than counting in it. */
function remembering<Labels extends (string | number)[], Series>(
  find: (...labels: Labels) => Series,
): (...labels: Labels) => Series {
  const known = new Map<string, Series>();
  return (...labels) => {
    const name = labels.join(' ');
    const series = known.get(name) ?? find(...labels);
    known.set(name, series);
    return series;
  };
}
