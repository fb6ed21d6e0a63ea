import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { createMetricsListener } from '../adapters/http/operations.ts';
import { createHttpServer } from '../adapters/http/server.ts';
import { type Channel, createSharedRateLimiter, shareRateLimiter } from '../adapters/node/shared-rate-limiter.ts';
import { compose } from './compose.ts';
import { type Config, WrongSetting } from './config.ts';
import { keepHouse } from './housekeeping.ts';
import { open } from './open.ts';
import { stopSignal } from './stop-signal.ts';
import { t } from './tokens.ts';
import { WorkerFailed } from './worker-failed.ts';

/** Milliseconds that a worker gets to answer what is in flight. */
const grace = 8_000;
/** Milliseconds before a worker that ended by itself is replaced. */
const pause = 500;

/**
 * Serves with as many processes as are configured, which share the port. This one serves nothing itself: it counts calls for
 * all where they are counted in memory, keeps house, tells the metrics of all, and replaces workers that die.
 */
export async function serveCluster(config: Config): Promise<void> {
  if (config.DATABASE_URL.kind === 'memory' || config.FILES_URL.kind === 'temporary') {
    throw new WrongSetting('WORKERS: several processes cannot share DATABASE_URL=memory: or FILES_URL=temporary:.');
  }
  const signal = stopSignal();
  const parts = await compose(config);
  const log = await parts.get(t.log);
  const closing = [() => parts.close()];
  let isStopping = false;
  try {
    const limiter = config.RATE_LIMIT_URL.kind === 'memory' ? await parts.get(t.rateLimiter) : undefined;
    const start = (): Worker => {
      const worker = cluster.fork();
      if (limiter) shareRateLimiter(channelTo(worker), limiter);
      return worker;
    };
    closing.unshift(stopWorkers);
    // What keeps one from starting keeps them all, and is told once.
    const port = await listening(start());
    await Promise.all(Array.from({ length: config.WORKERS - 1 }, () => listening(start())));
    cluster.on('exit', (worker, code, death) => {
      if (isStopping) return;
      log.error({ worker: worker.process.pid, code, signal: death }, 'a worker died');
      setTimeout(() => isStopping || start(), pause);
    });
    if (config.METRICS_PORT !== '') {
      const registry = new AggregatorRegistry();
      const metrics = createHttpServer(
        createMetricsListener({ contentType: registry.contentType, metrics: () => registry.clusterMetrics() }),
        { request: 10_000 },
      );
      const { address, port } = await metrics.listen(config.METRICS_PORT, config.METRICS_HOST);
      closing.unshift(() => metrics.close(grace));
      log.info({ address, port }, 'metrics listening');
    }
    closing.unshift(await keepHouse(parts));
    log.info({ port, workers: config.WORKERS }, 'listening');
    log.info({ signal: await signal }, 'stopping');
  } finally {
    isStopping = true;
    for (const close of closing) await close();
  }
  log.info('stopped');
}

/** One of the processes: serves until its primary tells it to stop, or is gone. */
export async function serveAsWorker(config: Config): Promise<void> {
  const signal = stopSignal();
  const rateLimiter = config.RATE_LIMIT_URL.kind === 'memory' ? createSharedRateLimiter(channelToPrimary()) : undefined;
  try {
    const service = await open(config, (at) => compose(at, rateLimiter ? { rateLimiter } : {}));
    new AggregatorRegistry(); // It answers the primary's questions.
    AggregatorRegistry.setRegistries([(await service.parts.get(t.metrics)).registry]);
    (await service.parts.get(t.log)).info({ port: service.port }, 'worker listening');
    process.send?.({ port: service.port });
    await signal;
    await service.close(grace);
  } finally {
    cluster.worker?.disconnect();
  }
}

function channelTo(worker: Worker): Channel {
  return {
    send: (message) => void (worker.isConnected() && worker.send(message)),
    onMessage: (listener) => worker.on('message', listener),
  };
}

function channelToPrimary(): Channel {
  return {
    send: (message) => void process.send?.(message),
    onMessage: (listener) => process.on('message', listener),
  };
}

/** Resolves with the port; rejects where the worker ends before it listens. */
function listening(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: unknown) => {
      if (typeof message === 'object' && message !== null && 'port' in message) resolve(Number(message.port));
    });
    worker.once('exit', () => reject(new WorkerFailed('A worker could not start.')));
  });
}

async function stopWorkers(): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((resolve) => {
          worker.once('exit', () => resolve());
          worker.process.kill('SIGTERM');
        }),
    ),
  );
}
