import { ContainerModule } from 'inversify';
import type { Tracing } from '../../../adapters/opentelemetry/tracing.ts';
import { installAdvice, loadDriver } from '../load-driver.ts';
import { t } from '../tokens.ts';
import { version } from '../version.ts';

const advice = installAdvice('OTEL_EXPORTER_OTLP_ENDPOINT', 'OpenTelemetry', '@opentelemetry');
const none: Tracing = { request: () => undefined, verifyBatch: () => undefined, close: async () => undefined };

/** Sends traces to a collector, if one is configured. Otherwise OpenTelemetry is not loaded. */
export const tracing = (endpoint: string) =>
  new ContainerModule(({ bind }) => {
    bind(t.tracing)
      .toResolvedValue(
        async (clock) => {
          if (endpoint === '') return none;
          const { createTracing } = await loadDriver(
            () => import('../../../adapters/opentelemetry/tracing.ts'),
            advice,
          );
          return createTracing({ endpoint, version, clock });
        },
        [t.clock],
      )
      .onDeactivation((tracing) => tracing.close());
  });
