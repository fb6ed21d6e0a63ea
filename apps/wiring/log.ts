import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import { installAdvice, loadDriver } from './load-driver.ts';

/**
 * Creates the log of this process, on standard output. By default it is readable text on a terminal and JSON everywhere
 * else; `LOG_FORMAT` can choose one of the two. Throws `MissingDriver` if `pretty` is chosen and its package is not
 * installed.
 */
export async function createLog({ LOG_LEVEL: level, LOG_FORMAT: format }: Config): Promise<Logger> {
  const options = { level };
  if (level === 'silent') return pino(options);
  if (format === 'json' || (format === 'auto' && !process.stdout.isTTY)) return pino(options, joinedLines());
  try {
    const { default: pretty } = await loadDriver(() => import('pino-pretty'), advice);
    return pino(options, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' }));
  } catch (error) {
    if (format === 'auto') return pino(options, joinedLines());
    throw error;
  }
}

const advice = installAdvice('LOG_FORMAT=pretty', 'pino-pretty', 'pino-pretty');

/** How long lines wait for more lines, in milliseconds, and how many bytes of them. */
const patience = 5;
const most = 8_192;
/** How many bytes wait if nobody reads the output. Later lines are lost then: the log must not fill the memory. */
const mostUnread = 8 * 1_024 * 1_024;

/**
 * Writes the lines of some milliseconds at once: a write of its own for each line costs the main thread more than making the
 * line. What still waits when the process ends is written then.
 */
function joinedLines(): DestinationStream & { flushSync(): void } {
  const output = pino.destination({
    dest: process.stdout.fd ?? 1,
    sync: false,
    minLength: most,
    maxLength: mostUnread,
  });
  let isDue = false;
  const flush = () => {
    isDue = false;
    output.flush();
  };
  return {
    write(line) {
      output.write(line);
      if (isDue) return;
      isDue = true;
      setTimeout(flush, patience).unref();
    },
    // Pino calls it after a fatal error.
    flushSync: () => output.flushSync(),
  };
}
