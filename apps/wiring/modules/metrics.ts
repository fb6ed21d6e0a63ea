import { ContainerModule } from 'inversify';
import { Registry } from 'prom-client';
import { createHttpMetrics } from '../../../adapters/http/metrics.ts';
import { createInstruments } from '../../../adapters/prometheus/instruments.ts';
import { t } from '../tokens.ts';

/** What Prometheus is told. Node's own figures are taken only where HTTP is served. */
export const metrics = new ContainerModule(({ bind }) => {
  bind(t.registry).toResolvedValue(() => new Registry());
  bind(t.instruments).toResolvedValue(createInstruments, [t.registry]);
  bind(t.metrics).toResolvedValue(createHttpMetrics, [t.registry]);
});
