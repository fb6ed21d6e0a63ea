import cluster from 'node:cluster';
import { pino } from 'pino';
import type { Config } from '../wiring/config.ts';
import { serveAsWorker, serveCluster } from './cluster.ts';
import { endOnFatalErrors } from './fatal-errors.ts';
import { serveAlone } from './serve-alone.ts';

/** Serves in this process, or in several workers if `WORKERS` is above 1. */
export async function serve(config: Config): Promise<void> {
  endOnFatalErrors(pino({ level: config.LOG_LEVEL }));
  if (cluster.isWorker) return await serveAsWorker(config);
  return config.WORKERS > 1 ? await serveCluster(config) : await serveAlone(config);
}
