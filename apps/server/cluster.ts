import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Channel, shareRateLimiter } from '../../adapters/limits/workers.ts';
import { compose } from '../wiring/compose.ts';
import { atPort, type Config, passedPort, WrongSetting } from '../wiring/config.ts';
import { t } from '../wiring/tokens.ts';
import { announce, setUpLink } from './announce.ts';
import { startJobs } from './jobs.ts';
import { openMetricsPort } from './metrics-port.ts';
import { openSharedPort, type SharedPort } from './shared-port.ts';
import { WorkerFailed } from './start-failures.ts';
import { grace } from './stop-service.ts';
import { endOf, startedBefore, stopSignal } from './stop-signal.ts';
import { fromWorker, toWorker } from './worker-messages.ts';

/** A worker that is still running this many milliseconds after `STOP_DELAY` is killed. */
const patience = grace + 2_000;
/** Milliseconds before a worker that died is replaced. */
const pause = 500;

/**
 * Serves with the configured number of workers. The primary process opens the ports, and gives each connection to a
 * worker. It serves no requests itself. It does the background work, publishes the metrics of all workers, and replaces
 * workers that die. If rate limits are kept in memory, it counts calls for all workers.
 */
export async function serveCluster(config: Config): Promise<void> {
  if (config.DATABASE_URL.kind === 'memory' || config.FILES_URL.kind === 'temporary') {
    throw new WrongSetting('WORKERS: several processes cannot share DATABASE_URL=memory: or FILES_URL=temporary:.');
  }
  const signal = stopSignal();
  const shared = await openSharedPort(
    { port: config.PORT, host: config.HOST, fd: passedPort() },
    config.MAX_CONNECTIONS,
  );
  const metricsPort = await openMetricsPort(config);
  const { parts, log, checks, lifecycle, countNow } = await startedBefore(signal, openParts(config));
  const others: (() => Promise<void>)[] = [];
  let isStopping = false;
  try {
    const start = (): Worker => {
      const worker = cluster.fork({ PORT: String(shared.port) });
      if (countNow) shareRateLimiter(channelTo(worker), countNow);
      worker.on('message', (message: unknown) => message === fromWorker.ready && shared.add(worker));
      return worker;
    };
    others.push(() => stopWorkers(shared, config.STOP_DELAY * 1000));
    // Starts one worker first, so that an error that affects all workers is reported once.
    await startedBefore(signal, ready(start()));
    const rest = Array.from({ length: config.WORKERS - 1 }, () => ready(start()));
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
    if (metricsPort) {
      others.push(metricsPort.close);
      const { AggregatorRegistry } = await import('prom-client');
      const registry = new AggregatorRegistry();
      metricsPort.serve({ contentType: registry.contentType, metrics: () => registry.clusterMetrics() }, log);
    }
    others.push(await startJobs(parts));
    const { connections } = await parts.get(t.database);
    const fields = { port: shared.port, workers: config.WORKERS, ...(connections && { connections }) };
    const atItsPort = atPort(config, shared.port);
    announce(await parts.get(t.log), atItsPort, fields, await setUpLink(parts, atItsPort));
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
      countNow: config.RATE_LIMIT_URL.kind === 'memory' ? (await parts.get(t.rateLimiter)).countNow : undefined,
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

function channelTo(worker: Worker): Channel {
  return {
    send: (message) => void (worker.isConnected() && worker.send(message)),
    onMessage: (listener) => worker.on('message', listener),
  };
}

/** Resolves when the worker can take connections. Rejects if it ends before that. */
function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: unknown) => message === fromWorker.ready && resolve());
    worker.once('exit', () => reject(new WorkerFailed('A worker could not start.')));
  });
}

/**
 * Stops all workers. Those that serve stop after `delay` milliseconds, when the last connections are with them. Kills
 * workers that take too long.
 */
async function stopWorkers(shared: SharedPort, delay: number): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const ended = workers.map(async (worker) => {
    const kill = setTimeout(() => worker.process.kill('SIGKILL'), delay + patience);
    await once(worker, 'exit');
    clearTimeout(kill);
  });
  for (const worker of workers) if (!shared.serves(worker)) worker.process.kill('SIGTERM');
  if (delay > 0) {
    for (const worker of workers) tell(worker, toWorker.drain);
    await sleep(delay);
  }
  await shared.close();
  for (const worker of workers) tell(worker, toWorker.end);
  await Promise.all(ended);
}

function tell(worker: Worker, message: string): void {
  if (worker.isConnected()) worker.send(message, () => undefined); // It may end at this moment.
}
