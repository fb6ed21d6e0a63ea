import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../wiring/config.ts';
import { createLog } from '../wiring/log.ts';
import { serveCluster } from './cluster.ts';
import { serveAlone } from './serve-alone.ts';
import { serveAsWorker } from './worker.ts';

/** Serves in this process, or in several workers if `WORKERS` is above 1. */
export async function serve(config: Config): Promise<void> {
  endOnFatalErrors(await createLog(config));
  if (cluster.isWorker) return await serveAsWorker(config);
  return config.WORKERS > 1 ? await serveCluster(config) : await serveAlone(config);
}

/**
 * Logs every uncaught error and ends the process with exit code 1, because the state of the process is unknown after
 * such an error.
 */
function endOnFatalErrors(log: Pick<Logger, 'fatal'>): void {
  const end = (err: unknown, origin: string) => {
    try {
      log.fatal({ err: err instanceof Error ? err : new Error(String(err)), origin }, 'an error was not caught');
    } finally {
      process.exit(1);
    }
  };
  process.on('uncaughtException', (error) => end(error, 'uncaughtException'));
  process.on('unhandledRejection', (reason) => end(reason, 'unhandledRejection'));
}
