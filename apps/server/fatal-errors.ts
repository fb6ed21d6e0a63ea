import type { Logger } from 'pino';

/**
 * Logs every uncaught error and ends the process with exit code 1, because the state of the process is unknown after
 * such an error.
 */
export function endOnFatalErrors(log: Pick<Logger, 'fatal'>): void {
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
