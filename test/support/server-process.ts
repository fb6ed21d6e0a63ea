import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { longestWait } from './longest-wait.ts';
import { readingItsText } from './run-process.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export const serverProgram = fileURLToPath(new URL('../../dist/apps/latchkey-server.js', import.meta.url));

/** A line that the server logged. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  readonly log: readonly LogLine[];
  /** The exit code once it has ended, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Returns its output on standard error. */
  errors(): string;
  /** Sends the signal. Resolves with the exit code, or with the signal that ended it. */
  stop(signal: 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): Promise<number | string>;
}

/** The server neither listened nor ended in time, and was killed. */
export class NeverListened extends Error {
  override readonly name = 'NeverListened';
}

/**
 * Starts the built server on a free port. Resolves when it listens. Rejects if it ends before, or does neither in
 * time. `program` is the path of another build, or the text of a program of the tests.
 */
export async function startServer(
  settings: Record<string, string>,
  program: string | { readonly text: string } = serverProgram,
): Promise<ServerProcess> {
  const temporary = await makeTemporaryFolder(); // A killed server leaves its temporary files there.
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, TMPDIR: temporary.path, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
  const started = typeof program === 'string' ? [program] : readingItsText;
  const child = spawn(process.execPath, [...started, 'serve'], {
    env: { ...env, PORT: '0', HOST: '127.0.0.1', RATE_LIMIT_URL: 'off:', ...withFiles(settings) },
    stdio: 'pipe',
  });
  child.stdin.end(typeof program === 'string' ? '' : program.text);
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
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new NeverListened(`The server did not listen within ${longestWait / 1000} s. ${errors}`));
    }, longestWait);
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line: LogLine = JSON.parse(text);
      log.push(line);
      if (line.msg !== 'listening') return;
      clearTimeout(limit);
      resolve(line.port);
    });
    exited.then((code) => {
      clearTimeout(limit);
      reject(new Error(`The server ended with ${code}: ${errors}`));
    });
  });
  const stop = (signal: 'SIGTERM' | 'SIGHUP' | 'SIGKILL') => {
    child.kill(signal);
    return exited;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    log,
    ended: exited,
    errors: () => errors,
    stop,
    async [Symbol.asyncDispose]() {
      await stop('SIGKILL');
    },
  };
}

/** Runs the built program to its end. `cwd` is its working directory. */
export async function runServerProgram(args: readonly string[], settings: Record<string, string> = {}, cwd?: string) {
  const child = spawn(process.execPath, [serverProgram, ...args], {
    cwd,
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

/** Puts the files beside the test's database, so that they are deleted with its folder. */
export function withFiles(settings: Record<string, string>): Record<string, string> {
  const [, path] = /^sqlite:(.+)$/.exec(settings.DATABASE_URL ?? '') ?? [];
  return path ? { FILES_URL: `disk:${path}.files`, ...settings } : settings;
}
