import { createMetricsListener } from '../adapters/http/operations.ts';
import { createHttpServer } from '../adapters/http/server.ts';
import { compose } from './compose.ts';
import type { Config } from './config.ts';
import { keepHouse } from './housekeeping.ts';
import { type OpenService, open } from './open.ts';
import { stopSignal } from './stop-signal.ts';
import { t } from './tokens.ts';

/** Milliseconds that requests in flight get when the process is told to stop. */
const grace = 8_000;

/**
 * Serves until SIGTERM or SIGINT; resolves when all that was in flight is answered, written and closed. `started` is told
 * when it answers.
 */
export async function serve(config: Config, started?: (service: OpenService) => Promise<void>): Promise<void> {
  const signal = stopSignal();
  const service = await open(config, compose);
  const { parts } = service;
  const log = await parts.get(t.log);
  const closing = [() => service.close(grace)];
  try {
    log.info(
      {
        address: service.address,
        port: service.port,
        database: config.DATABASE_URL.kind,
        files: config.FILES_URL.kind,
      },
      'listening',
    );
    if (config.METRICS_PORT !== '') {
      const { registry } = await parts.get(t.metrics);
      const metrics = createHttpServer(createMetricsListener(registry), { request: 10_000 });
      const { address, port } = await metrics.listen(config.METRICS_PORT, config.METRICS_HOST);
      closing.unshift(() => metrics.close(grace));
      log.info({ address, port }, 'metrics listening');
    }
    closing.unshift(await keepHouse(parts));
    await started?.(service);
    log.info({ signal: await signal }, 'stopping');
  } finally {
    for (const close of closing) await close();
  }
  log.info('stopped');
}
