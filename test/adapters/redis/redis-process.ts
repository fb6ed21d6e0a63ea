import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '../../support/free-port.ts';
import { redisServer } from '../../support/rate-limiters.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

/** A Redis that a test may stop, kill and start again, always on the same port and each time empty. */
export interface RedisProcess {
  readonly url: string;
  start(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  kill(): Promise<void>;
  remove(): Promise<void>;
}

/** Why there can be none here. */
export function noRedisProcess(): string | undefined {
  if (redisServer.skip !== undefined) return redisServer.skip;
  if (spawnSync('redis-server', ['--version']).error === undefined) return undefined;
  if (process.env.REQUIRE_SERVICES === 'all') throw new Error('REQUIRE_SERVICES=all, but no redis-server is on PATH.');
  return 'no redis-server is on PATH';
}

export async function makeRedisProcess(...more: string[]): Promise<RedisProcess> {
  const folder = await makeTemporaryFolder();
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...more];
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const killAtExit = () => child?.kill('SIGKILL');
  process.on('exit', killAtExit);
  return {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const started = spawn('redis-server', settings, { cwd: folder.file('.'), stdio: ['ignore', 'pipe', 'ignore'] });
      child = started;
      await new Promise<void>((resolve, reject) => {
        const said: string[] = [];
        createInterface({ input: started.stdout }).on('line', (line) => {
          said.push(line);
          if (line.includes('Ready to accept connections')) resolve();
        });
        started.once('exit', () => reject(new Error(`redis-server ended: ${said.join('\n')}`)));
      });
    },
    signal: (name) => child?.kill(name),
    kill,
    async remove() {
      await kill();
      process.off('exit', killAtExit);
      await folder.remove();
    },
  };
}
