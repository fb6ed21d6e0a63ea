import { compose } from '../wiring/compose.ts';
import { type Config, passedPort } from '../wiring/config.ts';
import { loadSurfaces } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { announce, setUpLink } from './announce.ts';
import { startJobs } from './jobs.ts';
import { openMetricsPort } from './metrics-port.ts';
import { type OpenService, openService } from './open-service.ts';
import { stopService } from './stop-service.ts';
import { endOf, startedBefore, stopSignal } from './stop-signal.ts';

/**
 * Serves until SIGTERM, SIGINT or SIGHUP. Resolves when the requests in flight are answered and everything is closed.
 * Calls `started` when the service is ready. Throws `StoppedEarly` if a signal comes before that.
 */
export async function serveAlone(config: Config, started?: (service: OpenService) => Promise<void>): Promise<void> {
  const signal = stopSignal();
  await loadSurfaces(config.SURFACE);
  const metrics = await openMetricsPort(config);
  const opening = openService(config, compose, (server) => server.listen(config.PORT, config.HOST, passedPort()));
  const service = await startedBefore(signal, opening);
  const { parts } = service;
  const log = await parts.get(t.log);
  const others: (() => Promise<void>)[] = [];
  try {
    if (metrics) {
      others.push(metrics.close);
      metrics.serve((await parts.get(t.metrics)).registry, log);
    }
    others.push(await startJobs(parts));
    const { connections } = await parts.get(t.database);
    const fields = {
      address: service.address,
      port: service.port,
      database: config.DATABASE_URL.kind,
      ...(connections && { connections }),
      files: config.FILES_URL.kind,
    };
    const atItsPort = await parts.get(t.config);
    announce(await parts.get(t.log), atItsPort, fields, await setUpLink(parts, atItsPort));
    await started?.(service);
    log.info({ signal: await endOf(parts, signal) }, 'stopping');
  } finally {
    await stopService(service, config.STOP_DELAY, others);
  }
  log.info('stopped');
}
