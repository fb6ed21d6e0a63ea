import { startBeside } from './beside.ts';
import { compose } from './compose.ts';
import type { Config } from './config.ts';
import { connectionsOf } from './connections.ts';
import { type OpenService, open } from './open.ts';
import { stopService } from './stop-service.ts';
import { endOf, startedBefore, stopSignal } from './stop-signal.ts';
import { t } from './tokens.ts';

/**
 * Serves until SIGTERM, SIGINT or SIGHUP; resolves when all that was in flight is answered, written and closed. `started` is told
 * when it answers. Throws `StoppedEarly` if it is told to stop before it answers.
 */
export async function serve(config: Config, started?: (service: OpenService) => Promise<void>): Promise<void> {
  const signal = stopSignal();
  const service = await startedBefore(signal, open(config, compose));
  const { parts } = service;
  const log = await parts.get(t.log);
  const others: (() => Promise<void>)[] = [];
  try {
    const connections = await connectionsOf(config, parts);
    log.info(
      {
        address: service.address,
        port: service.port,
        database: config.DATABASE_URL.kind,
        ...(connections && { connections }),
        files: config.FILES_URL.kind,
      },
      'listening',
    );
    await startBeside(parts, async () => (await parts.get(t.metrics)).registry, others);
    await started?.(service);
    log.info({ signal: await endOf(parts, signal) }, 'stopping');
  } finally {
    await stopService(service, config.STOP_DELAY, others);
  }
  log.info('stopped');
}
