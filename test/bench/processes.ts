import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pidusage from 'pidusage';
import { freePort } from '../support/free-port.ts';
import { serverProgram } from '../support/server-process.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

/** A server under measurement, in a separate process. */
export interface Running {
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from its start to its first answer. */
  readonly startedIn: number;
  /** Bytes of resident memory at present. */
  memory(): Promise<number>;
  /** Returns the text of its metrics. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();

/** Kills all processes that were started here and still run. */
export function killServers(): void {
  for (const child of children) child.kill('SIGKILL');
}

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export async function startBareRoute(folder: TemporaryFolder): Promise<Running> {
  const port = await freePort();
  return await start(folder, port, ['--import=tsx', program('bare-route.ts'), String(port)], {});
}

/** Starts the service with all its features, but with another way to verify. */
export async function startPerRequest(
  folder: TemporaryFolder,
  kind: 'plain' | 'exact',
  settings: Record<string, string>,
): Promise<Running> {
  return await startService(folder, ['--import=tsx', program('per-request.ts'), kind], settings);
}

/** Starts the built server as in production, with high rate limits unless the settings contain others. */
export async function startLatchkey(
  folder: TemporaryFolder,
  settings: Record<string, string>,
  nodeOptions: readonly string[] = [],
): Promise<Running> {
  return await startService(folder, [...nodeOptions, serverProgram, 'serve'], settings);
}

async function startService(folder: TemporaryFolder, args: readonly string[], settings: Record<string, string>) {
  const port = await freePort();
  return await start(folder, port, args, {
    PORT: String(port),
    HOST: '127.0.0.1',
    METRICS_PORT: String(await freePort()),
    FILES_URL: `disk:${folder.file('files')}`,
    RATE_LIMIT_VERIFY: '1000000000',
    RATE_LIMIT_ACTIVATE: '1000000000',
    RATE_LIMIT_DEACTIVATE: '1000000000',
    ...settings,
  });
}

/** Starts a server for some work, and stops it. */
export async function withLatchkey<T>(
  folder: TemporaryFolder,
  settings: Record<string, string>,
  work: (server: Running) => Promise<T>,
  nodeOptions: readonly string[] = [],
): Promise<T> {
  const server = await startLatchkey(folder, settings, nodeOptions);
  return await work(server).finally(() => server.stop());
}

async function start(
  folder: TemporaryFolder,
  port: number,
  args: readonly string[],
  settings: Record<string, string>,
): Promise<Running> {
  const log = openSync(folder.file(`${port}.log`), 'w');
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...settings },
    stdio: ['ignore', log, log],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const { pid } = child;
  await answered(child, port, folder.file(`${port}.log`));
  if (pid === undefined) throw new Error('The server has no process.');
  return {
    port,
    pid,
    startedIn: performance.now() - began,
    async memory() {
      return (await pidusage(pid)).memory;
    },
    async metrics() {
      const response = await fetch(`http://127.0.0.1:${settings.METRICS_PORT}/metrics`);
      return await response.text();
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function answered(child: ChildProcess, port: number, log: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`A server ended with ${child.exitCode}; see ${log}.`);
    try {
      await fetch(`http://127.0.0.1:${port}/health/live`);
      return;
    } catch {
      await setTimeout(5);
    }
  }
}
