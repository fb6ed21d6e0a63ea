import { type Logger, pino } from 'pino';
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
  if (format === 'json' || (format === 'auto' && !process.stdout.isTTY)) return pino(options);
  try {
    const { default: pretty } = await loadDriver(() => import('pino-pretty'), advice);
    return pino(options, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' }));
  } catch (error) {
    if (format === 'auto') return pino(options);
    throw error;
  }
}

const advice = installAdvice('LOG_FORMAT=pretty', 'pino-pretty', 'pino-pretty');
