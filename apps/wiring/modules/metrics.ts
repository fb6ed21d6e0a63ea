import { ContainerModule } from 'inversify';
import Registry from 'prom-client/lib/registry.js';
import { createHttpMetrics } from '../../../adapters/http/metrics.ts';
import { createInstruments } from '../../../adapters/prometheus/instruments.ts';
import { t } from '../tokens.ts';

/** The metrics for Prometheus. Node's own metrics are collected only by processes that serve HTTP, if anybody can read them. */
export const metrics = new ContainerModule(({ bind }) => {
  bind(t.registry).toResolvedValue(() => new Registry());
  bind(t.instruments).toResolvedValue(createInstruments, [t.registry]);
  bind(t.metrics).toResolvedValue(
    async ({ METRICS_PORT }, registry) => {
      if (METRICS_PORT !== '') (await import('prom-client')).collectDefaultMetrics({ register: registry });
      return createHttpMetrics(registry);
    },
    [t.config, t.registry],
  );
});
