import { ContainerModule } from 'inversify';
import { Registry } from 'prom-client';
import { createHttpMetrics } from '../../../adapters/http/metrics.ts';
import { createInstruments } from '../../../adapters/prometheus/instruments.ts';
import { t } from '../tokens.ts';

/** The metrics for Prometheus. Only processes that serve HTTP collect Node's own metrics. */
export const metrics = new ContainerModule(({ bind }) => {
  bind(t.registry).toResolvedValue(() => new Registry());
  bind(t.instruments).toResolvedValue(createInstruments, [t.registry]);
  bind(t.metrics).toResolvedValue(createHttpMetrics, [t.registry]);
});
