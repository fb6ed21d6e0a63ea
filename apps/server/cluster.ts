import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { type Channel, createSharedRateLimiter, shareRateLimiter } from '../../adapters/limits/cluster.ts';
import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { systemClock } from '../../adapters/node/clock.ts';
import { compose } from '../wiring/compose.ts';
import { type Config, WrongSetting } from '../wiring/config.ts';
import { createLog } from '../wiring/log.ts';
import { t } from '../wiring/tokens.ts';
import { startBackgroundWork } from './background.ts';
import { connectionUse } from './connection-use.ts';
import { openService } from './open-service.ts';
import { grace, stopService } from './stop-service.ts';
import { endOf, startedBefore, stopSignal } from './stop-signal.ts';
import { StoppedEarly } from './stopped-early.ts';
import { WorkerFailed } from './worker-failed.ts';

/** Milliseconds beyond `STOP_DELAY` after which a worker that does not end is killed. */
const patience = grace + 2_000;
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
  const { parts, log, checks, lifecycle, limiter } = await startedBefore(signal, openParts(config));
  const others: (() => Promise<void>)[] = [];
  let isStopping = false;
  try {
    const start = (): Worker => {
      const worker = cluster.fork();
      if (limiter) shareRateLimiter(channelTo(worker), limiter);
      return worker;
    };
    others.push(() => stopWorkers(config.STOP_DELAY * 1000 + patience));
    // What keeps one from starting keeps them all, and is told once.
    const port = await startedBefore(signal, listening(start()));
    const rest = Array.from({ length: config.WORKERS - 1 }, () => listening(start()));
    await startedBefore(signal, Promise.all(rest));
    cluster.on('exit', (worker, code, death) => {
      if (isStopping) return;
      log.error({ worker: worker.process.pid, code, signal: death }, 'a worker died');
      setTimeout(async () => {
        // A worker that ended since its database is gone is not replaced: this process ends for the same reason.
        await checks.database?.().catch(() => undefined);
        if (!isStopping && lifecycle.accepts()) start();
      }, pause);
    });
    const metricsOfAll = async () => {
      const registry = new AggregatorRegistry();
      return { contentType: registry.contentType, metrics: () => registry.clusterMetrics() };
    };
    await startBackgroundWork(parts, metricsOfAll, others);
    const connections = await connectionUse(config, parts);
    log.info({ port, workers: config.WORKERS, ...(connections && { connections }) }, 'listening');
    log.info({ signal: await endOf(parts, signal) }, 'stopping');
  } finally {
    isStopping = true;
    await Promise.all(others.map((end) => end())).finally(() => parts.close());
  }
  log.info('stopped');
}

/** What the primary uses itself. The database is open then, and up to date. */
async function openParts(config: Config) {
  const parts = await compose(config);
  try {
    return {
      parts,
      log: await parts.get(t.log),
      checks: await parts.get(t.databaseChecks),
      lifecycle: await parts.get(t.lifecycle),
      limiter: config.RATE_LIMIT_URL.kind === 'memory' ? await parts.get(t.rateLimiter) : undefined,
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** One of the processes: serves until its primary tells it to stop, or is gone. */
export async function serveAsWorker(config: Config): Promise<void> {
  const signal = stopSignal();
  const log = await createLog(config);
  const fallback = createMemoryRateLimiter(systemClock);
  const rateLimiter =
    config.RATE_LIMIT_URL.kind === 'memory'
      ? createSharedRateLimiter(channelToPrimary(), { fallback, log })
      : undefined;
  try {
    const opening = openService(config, (at) =>
      compose(at, { log, mustExist: true, ...(rateLimiter && { rateLimiter }) }),
    );
    const service = await startedBefore(signal, opening).catch((error: unknown) => {
      // The primary was told as well, and says so for all.
      throw error instanceof StoppedEarly ? new WorkerFailed(error.message) : error;
    });
    new AggregatorRegistry(); // It answers the primary's questions.
    AggregatorRegistry.setRegistries([(await service.parts.get(t.metrics)).registry]);
    log.info({ port: service.port }, 'worker listening');
    process.send?.({ port: service.port });
    await endOf(service.parts, signal).finally(() => stopService(service, config.STOP_DELAY));
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

/** Tells all workers to stop, and kills those that have not ended in time (milliseconds). */
async function stopWorkers(within: number): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((resolve) => {
          const kill = setTimeout(() => worker.process.kill('SIGKILL'), within);
          worker.once('exit', () => {
            clearTimeout(kill);
            resolve();
          });
          worker.process.kill('SIGTERM');
        }),
    ),
  );
}
