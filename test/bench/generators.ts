import { type ChildProcess, execFile, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The task of one process of a load generator. */
export interface Task {
  readonly port: number;
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
  /** A file with raw HTTP requests, and `separator` between them. They are sent in order and repeated. */
  readonly requests: string;
}

/** The result of a task. */
export interface Outcome {
  readonly seconds: number;
  readonly answers: number;
  /** The number of answers with a status of 400 or more. */
  readonly refused: number;
  /** Connections that failed. */
  readonly broken: number;
  /**
   * Milliseconds from a request to its complete answer. wrk adds the requests that it would have sent during a slow
   * answer.
   */
  readonly p50: number;
  readonly p99: number;
  /** Seconds of processor time of the process. */
  readonly cpu: number;
}

export interface Generator {
  readonly name: string;
  /** The number of processes that can saturate a server on one core. */
  readonly processes: number;
  run(task: Task, process: number): Promise<Outcome>;
  stop(): void;
}

/** Separates two requests. No request contains it. */
export const separator = '\x1e';

/**
 * Uses wrk if it is installed, because it needs only a few microseconds per answer. Otherwise uses several processes
 * of `own-generator.ts`.
 */
export function chooseGenerator(): Generator {
  return isWrkInstalled() ? wrk() : own();
}

function isWrkInstalled(): boolean {
  return spawnSync('wrk', ['-v']).error === undefined;
}

export function wrk(): Generator {
  const script = fileURLToPath(new URL('load.lua', import.meta.url));
  const stopping = new AbortController();
  return {
    name: 'wrk',
    processes: 1,
    async run({ port, connections, seconds, requests }) {
      const size = ['-t1', `-c${connections}`, `-d${seconds}s`];
      const args = [...size, '-s', script, `http://127.0.0.1:${port}`, '--', requests];
      const { stdout } = await promisify(execFile)('wrk', args, { signal: stopping.signal });
      const line = stdout.split('\n').find((text) => text.startsWith('{'));
      if (line === undefined) throw new Error(`wrk printed no result: ${stdout}`);
      return JSON.parse(line);
    },
    stop: () => stopping.abort(),
  };
}

/** The processes are kept, because code that has run before is faster. */
export function own(): Generator {
  const program = fileURLToPath(new URL('own-generator.ts', import.meta.url));
  const started: { readonly child: ChildProcess; readonly ended: Promise<never> }[] = [];
  return {
    name: 'our own generator, as wrk is not installed',
    processes: 3,
    async run(task, process) {
      const { child, ended } = started[process] ?? start(program);
      started[process] = { child, ended };
      child.send(task);
      const [outcome] = await Promise.race([once(child, 'message'), ended]);
      return outcome;
    },
    stop() {
      for (const { child } of started) child.kill();
    },
  };
}

function start(program: string) {
  const child = fork(program);
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`A load generator ended with ${code}.`);
  });
  return { child, ended };
}
