import { openService } from '../../apps/server/open-service.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { skipLong } from './required-service.ts';
import { startServer } from './server-process.ts';

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts a server that shares only its database with the test. With TEST_LONG it has a process of its own, which takes
 * ten times as long to start.
 */
export async function runServer(settings: Readonly<Record<string, string>>): Promise<RunningServer> {
  if (skipLong === undefined) return await startServer(settings);
  const config = readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT_URL: 'off:', ...settings, PORT: '0' });
  const service = await openService(config, compose, '127.0.0.1');
  return { url: `http://127.0.0.1:${service.port}`, [Symbol.asyncDispose]: () => service.close(0) };
}
