import cluster from 'node:cluster';
import { Socket } from 'node:net';
import type { HttpServer } from '../../adapters/http/server.ts';
import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { type Channel, createSharedRateLimiter } from '../../adapters/limits/workers.ts';
import { systemClock } from '../../adapters/node/clock.ts';
import { compose } from '../wiring/compose.ts';
import type { Config } from '../wiring/config.ts';
import { createLog } from '../wiring/log.ts';
import { loadSurfaces } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { openService } from './open-service.ts';
import { StoppedEarly, WorkerFailed } from './start-failures.ts';
import { grace } from './stop-service.ts';
import { endOf, startedBefore, stopSignal } from './stop-signal.ts';
import { fromWorker, toWorker } from './worker-messages.ts';

/**
 * Serves the connections that the primary sends, until the primary stops it, or until the primary has ended. A signal
 * ends only its start. After that, the primary gets the signal too, and may still have connections for this worker.
 */
export async function serveAsWorker(config: Config): Promise<void> {
  const signal = stopSignal();
  const log = await createLog(config);
  const fallback = createMemoryRateLimiter(systemClock);
  const rateLimiter =
    config.RATE_LIMIT_URL.kind === 'memory'
      ? createSharedRateLimiter(channelToPrimary(), { fallback, log })
      : undefined;
  try {
    await loadSurfaces(config.SURFACE);
    const opening = openService(
      config,
      (at) => compose(at, { log, mustExist: true, ...(rateLimiter && { rateLimiter }) }),
      adoptConnections,
    );
    const service = await startedBefore(signal, opening).catch((error: unknown) => {
      // The primary got the signal too, and logs it for all workers.
      throw error instanceof StoppedEarly ? new WorkerFailed(error.message) : error;
    });
    const { AggregatorRegistry } = await import('prom-client');
    new AggregatorRegistry(); // Its constructor makes this worker answer the primary's requests for metrics.
    AggregatorRegistry.setRegistries([(await service.parts.get(t.metrics)).registry]);
    const ended = new Promise<string>((resolve) => {
      process.on('message', (message) => {
        if (message === toWorker.drain) void service.drain();
        if (message === toWorker.end) resolve(message);
      });
    });
    log.info({ port: service.port }, 'worker listening');
    process.send?.(fromWorker.ready);
    await endOf(service.parts, ended).finally(() => service.close(grace));
  } finally {
    cluster.worker?.disconnect();
  }

  async function adoptConnections(server: HttpServer) {
    process.on('message', (message, socket) => {
      if (message !== toWorker.connection) return;
      if (socket instanceof Socket) server.adopt(socket);
      process.send?.(fromWorker.took);
    });
    return { address: config.HOST, port: config.PORT };
  }
}

function channelToPrimary(): Channel {
  return {
    send: (message) => void process.send?.(message),
    onMessage: (listener) => process.on('message', listener),
  };
}
