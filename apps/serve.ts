import type { RequestListener } from 'node:http';
import { createMetricsListener } from '../adapters/http/operations.ts';
import { createHttpServer, type HttpServer } from '../adapters/http/server.ts';
import { compose } from './compose.ts';
import type { Config } from './config.ts';
import { t } from './tokens.ts';

/** Milliseconds that requests in flight get when the process is told to stop. */
const grace = 8_000;

/** Serves until SIGTERM or SIGINT; resolves when all that was in flight is answered, written and closed. */
export async function serve(config: Config): Promise<void> {
  const parts = await compose(config);
  const log = await parts.get(t.log);
  const lifecycle = await parts.get(t.lifecycle);
  const app = await parts.get(t.app);
  const timeouts = { request: config.REQUEST_TIMEOUT * 1000 };
  const signal = stopSignal();
  const servers: HttpServer[] = [];
  const open = async (listener: RequestListener, port: number, host: string, name: string) => {
    const server = createHttpServer(listener, timeouts);
    const address = await server.listen(port, host);
    servers.push(server);
    log.info({ address: address.address, port: address.port, database: config.DATABASE_URL.kind }, name);
  };
  try {
    await open(app.callback(), config.PORT, config.HOST, 'listening');
    if (config.METRICS_PORT !== '') {
      const { registry } = await parts.get(t.metrics);
      await open(createMetricsListener(registry), config.METRICS_PORT, config.METRICS_HOST, 'metrics listening');
    }
    log.info({ signal: await signal }, 'stopping');
  } finally {
    lifecycle.stop();
    await Promise.all(servers.map((server) => server.close(grace)));
    await parts.close();
  }
  log.info('stopped');
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, resolve);
  });
}
