import type { Logger } from 'pino';

/**
 * From now on, an error that nothing catches is written to the log and ends the process with exit code 1: what state it left
 * behind nobody knows.
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
