import cluster, { type Worker } from 'node:cluster';
import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { type Channel, createSharedRateLimiter, shareRateLimiter } from '../../adapters/limits/workers.ts';
import { systemClock } from '../../adapters/node/clock.ts';
import { compose } from '../wiring/compose.ts';
import { atPort, type Config, WrongSetting } from '../wiring/config.ts';
import { createLog } from '../wiring/log.ts';
import { t } from '../wiring/tokens.ts';
import { announce } from './announce.ts';
import { startBackgroundWork } from './background.ts';
import { openService } from './open-service.ts';
import { setUpLink } from './set-up-link.ts';
import { grace, stopService } from './stop-service.ts';
import { endOf, startedBefore, stopSignal } from './stop-signal.ts';
import { StoppedEarly } from './stopped-early.ts';
import { WorkerFailed } from './worker-failed.ts';

/** A worker that is still running this many milliseconds after `STOP_DELAY` is killed. */
const patience = grace + 2_000;
/** Milliseconds before a worker that died is replaced. */
const pause = 500;

/**
 * Serves with the configured number of workers, which share the port. The primary process serves no requests. It does
 * the background work, publishes the metrics of all workers, and replaces workers that die. If rate limits are kept in
 * memory, it counts calls for all workers.
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
    // Starts one worker first, so that an error that affects all workers is reported once.
    const port = await startedBefore(signal, listening(start()));
    const rest = Array.from({ length: config.WORKERS - 1 }, () => listening(start()));
    await startedBefore(signal, Promise.all(rest));
    cluster.on('exit', (worker, code, death) => {
      if (isStopping) return;
      log.error({ worker: worker.process.pid, code, signal: death }, 'a worker died');
      setTimeout(async () => {
        // If the workers ended because the database was deleted, this check ends the primary too. Then it does not
        // replace them.
        await checks.database?.().catch(() => undefined);
        if (!isStopping && lifecycle.accepts()) start();
      }, pause);
    });
    const metricsOfAll = async () => {
      const { AggregatorRegistry } = await import('prom-client');
      const registry = new AggregatorRegistry();
      return { contentType: registry.contentType, metrics: () => registry.clusterMetrics() };
    };
    await startBackgroundWork(parts, metricsOfAll, others);
    const { connections } = await parts.get(t.database);
    const fields = { port, workers: config.WORKERS, ...(connections && { connections }) };
    const atItsPort = atPort(config, port);
    announce(log, atItsPort, fields, await setUpLink(parts, atItsPort));
    log.info({ signal: await endOf(parts, signal) }, 'stopping');
  } finally {
    isStopping = true;
    await Promise.all(others.map((end) => end())).finally(() => parts.close());
  }
  log.info('stopped');
}

/** Opens the parts that the primary itself uses. This also runs the missing migrations. */
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

/** Serves as a worker until the primary stops it, or until the primary has ended. */
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
      // The primary got the signal too, and logs it for all workers.
      throw error instanceof StoppedEarly ? new WorkerFailed(error.message) : error;
    });
    const { AggregatorRegistry } = await import('prom-client');
    new AggregatorRegistry(); // Its constructor makes this worker answer the primary's requests for metrics.
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

/** Resolves with the port. Rejects if the worker ends before it listens. */
function listening(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: unknown) => {
      if (typeof message === 'object' && message !== null && 'port' in message) resolve(Number(message.port));
    });
    worker.once('exit', () => reject(new WorkerFailed('A worker could not start.')));
  });
}

/** Stops all workers. Kills those that have not ended within this many milliseconds. */
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
