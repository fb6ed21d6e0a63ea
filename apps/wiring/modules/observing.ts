import Registry from 'prom-client/lib/registry.js';
import { createHttpMetrics } from '../../../adapters/http/metrics.ts';
import type { Tracing } from '../../../adapters/opentelemetry/tracing.ts';
import { createInstruments } from '../../../adapters/prometheus/instruments.ts';
import { clock, setting } from '../chosen.ts';
import { installAdvice, loadDriver } from '../load-driver.ts';
import { part } from '../part.ts';
import { version } from '../version.ts';

/** The metrics for Prometheus. */
export const registry = part(() => new Registry(), {});
export const instruments = part(({ registry }) => createInstruments(registry), { registry });
/** Node's own metrics are collected only by processes that serve HTTP, if anybody can read them. */
export const metrics = part(
  async ({ port, registry }) => {
    if (port !== '') (await import('prom-client')).collectDefaultMetrics({ register: registry });
    return createHttpMetrics(registry);
  },
  { port: setting('METRICS_PORT'), registry },
);

const advice = installAdvice('OTEL_EXPORTER_OTLP_ENDPOINT', 'OpenTelemetry', '@opentelemetry');
const none: Tracing = { request: () => undefined, verifyBatch: () => undefined, close: async () => undefined };

/** Sends traces to a collector, if one is configured. Otherwise OpenTelemetry is not loaded. */
export const tracing = part(
  async ({ endpoint, clock }): Promise<Tracing> => {
    if (endpoint === '') return none;
    const { createTracing } = await loadDriver(() => import('../../../adapters/opentelemetry/tracing.ts'), advice);
    return createTracing({ endpoint, version, clock });
  },
  { endpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT'), clock },
  (tracing) => tracing.close(),
);
