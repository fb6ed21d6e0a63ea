import cluster from 'node:cluster';
import { pino } from 'pino';
import { serveAsWorker, serveCluster } from './cluster.ts';
import type { Config } from './config.ts';
import { endOnFatalErrors } from './fatal-errors.ts';
import { serve } from './serve.ts';

/** Serves in this process, or with several where that is configured. */
export async function start(config: Config): Promise<void> {
  endOnFatalErrors(pino({ level: config.LOG_LEVEL }));
  if (cluster.isWorker) return await serveAsWorker(config);
  return config.WORKERS > 1 ? await serveCluster(config) : await serve(config);
}
