import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';
import { requiredService } from './required-service.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export const redisServer = requiredService('TEST_REDIS_URL', 'Redis');

/** A Redis that a test may stop, kill and start again. The port stays the same. It is empty after each start. */
export interface RedisProcess {
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  kill(): Promise<void>;
  remove(): Promise<void>;
}

/** Returns the reason if tests should not or cannot start a Redis here. */
export function noRedisProcess(): string | undefined {
  if (redisServer.skip !== undefined) return redisServer.skip;
  if (spawnSync('redis-server', ['--version']).error === undefined) return undefined;
  if (process.env.REQUIRE_SERVICES === 'all') throw new Error('REQUIRE_SERVICES=all, but no redis-server is on PATH.');
  return 'no redis-server is on PATH';
}

export function makeRedisProcess(...more: string[]): Promise<RedisProcess> {
  return makeProcess(async (port) => [
    ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    ...more,
  ]);
}

/** Makes a sentinel with these lines of configuration. */
export function makeSentinelProcess(...lines: string[]): Promise<RedisProcess> {
  return makeProcess(async (port, file) => {
    await writeFile(file, [`port ${port}`, 'bind 127.0.0.1', ...lines, ''].join('\n'));
    return [file, '--sentinel'];
  });
}

async function makeProcess(argumentsOf: (port: number, file: string) => Promise<string[]>): Promise<RedisProcess> {
  const folder = await makeTemporaryFolder();
  const port = await freePort();
  const settings = await argumentsOf(port, folder.file('redis.conf'));
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
    port,
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const started = spawn('redis-server', settings, { cwd: folder.file('.'), stdio: ['ignore', 'pipe', 'ignore'] });
      child = started;
      await new Promise<void>((resolve, reject) => {
        const said: string[] = [];
        createInterface({ input: started.stdout }).on('line', (line) => {
          said.push(line);
          if (/Ready to accept connections|Sentinel ID is/.test(line)) resolve();
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
