import { openService } from '../../apps/server/open-service.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { runsLong } from './required-service.ts';
import { startServer, withFiles } from './server-process.ts';

/** A server that tests reach only by HTTP and by its database. */
export interface NeighbourServer extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts a server on a free port. It runs in this process, from the sources. With TEST_LONG it is the built program in a
 * process of its own, which takes ten times as long to start.
 */
export async function startNeighbour(settings: Record<string, string>): Promise<NeighbourServer> {
  if (runsLong) return await startServer(settings);
  const config = readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT_URL: 'off:', ...withFiles(settings), PORT: '0' });
  const service = await openService(config, compose, '127.0.0.1');
  return { url: `http://127.0.0.1:${service.port}`, [Symbol.asyncDispose]: () => service.close(0) };
}
