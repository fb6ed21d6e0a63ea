import cluster from 'node:cluster';
import type { Config } from '../wiring/config.ts';
import { createLog } from '../wiring/log.ts';
import { serveAsWorker, serveCluster } from './cluster.ts';
import { endOnFatalErrors } from './fatal-errors.ts';
import { serveAlone } from './serve-alone.ts';

/** Serves in this process, or in several workers if `WORKERS` is above 1. */
export async function serve(config: Config): Promise<void> {
  endOnFatalErrors(await createLog(config));
  if (cluster.isWorker) return await serveAsWorker(config);
  return config.WORKERS > 1 ? await serveCluster(config) : await serveAlone(config);
}
