import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { createMetricsListener } from '../../adapters/http/metrics.ts';
import { createHttpServer } from '../../adapters/http/server.ts';
import type { Config } from '../wiring/config.ts';
import { grace } from './stop-service.ts';

/** The source of the metrics in Prometheus format. */
type Metrics = Parameters<typeof createMetricsListener>[0];

/** The open METRICS_PORT. Until it has metrics to serve, calls get 503. */
export interface MetricsPort {
  /** Serves the metrics from now on, and logs where. */
  serve(metrics: Metrics, log: Pick<Logger, 'info'>): void;
  close(): Promise<void>;
}

/** Opens METRICS_PORT, if it is set. Do this before anything else is served: the port may be taken. */
export async function openMetricsPort({ METRICS_PORT, METRICS_HOST }: Config): Promise<MetricsPort | undefined> {
  if (METRICS_PORT === '') return undefined;
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createHttpServer((request, response) => listener(request, response), { request: 10_000 });
  const { address, port } = await server.listen(METRICS_PORT, METRICS_HOST);
  return {
    serve(metrics, log) {
      listener = createMetricsListener(metrics);
      log.info({ address, port }, 'metrics listening');
    },
    close: () => server.close(grace),
  };
}
