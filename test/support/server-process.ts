import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder } from './temporary-folder.ts';

export const serverProgram = fileURLToPath(new URL('../../dist/apps/latchkey-server.js', import.meta.url));

/** A line that the server logged. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  readonly log: readonly LogLine[];
  /** Sends the signal and answers the exit code, or the signal that ended it. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string>;
}

/** Starts the built server on a free port, and resolves when it listens. `program` is where else it was built. */
export async function startServer(settings: Record<string, string>, program = serverProgram): Promise<ServerProcess> {
  const temporary = await makeTemporaryFolder(); // What is temporary to a server stays behind where it is killed.
  const env = { PATH: process.env.PATH, TMPDIR: temporary.path };
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...env, PORT: '0', HOST: '127.0.0.1', RATE_LIMIT_URL: 'off:', ...withFiles(settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: LogLine[] = [];
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const exited = once(child, 'exit').then(async ([code, signal]): Promise<number | string> => {
    await temporary.remove();
    return code ?? signal;
  });
  const port = await new Promise<unknown>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line: LogLine = JSON.parse(text);
      log.push(line);
      if (line.msg === 'listening') resolve(line.port);
    });
    exited.then((code) => reject(new Error(`The server ended with ${code}: ${errors}`)));
  });
  const stop = (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    return exited;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    log,
    stop,
    async [Symbol.asyncDispose]() {
      await stop('SIGKILL');
    },
  };
}

/** Runs the built program to its end. */
export async function runServerProgram(args: readonly string[], settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, [serverProgram, ...args], {
    env: { PATH: process.env.PATH, ...withFiles(settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code: code as number, stdout, stderr };
}

/** Files beside the database of the test, so that they go with its folder. */
function withFiles(settings: Record<string, string>): Record<string, string> {
  const [, path] = /^sqlite:(.+)$/.exec(settings.DATABASE_URL ?? '') ?? [];
  return path ? { FILES_URL: `disk:${path}.files`, ...settings } : settings;
}
