import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runsLong } from './required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

const program = fileURLToPath(new URL('../../apps/cli/dist/latchkey.js', import.meta.url));

export interface CliEnding {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command with everything that it sees of its computer. */
export interface CliCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
}

interface Given {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A computer on which somebody uses the built `latchkey`: its home folder is empty at first. */
export interface Computer {
  readonly folder: TemporaryFolder;
  /**
   * Runs a command to its end. Without TEST_LONG, all commands run in the same process, one at a time. That is about five
   * times as fast.
   */
  run(args: readonly string[], given?: Given): Promise<CliEnding>;
  /** Starts a command. */
  start(args: readonly string[], given?: Given): RunningCli;
  /** Runs a command in a terminal of so many columns. `type` gets what was printed, and returns what to type next. */
  runInTerminal(
    args: readonly string[],
    columns: number,
    type?: (printed: string) => string | undefined,
    given?: Given,
  ): Promise<{ readonly code: number; readonly printed: string }>;
}

export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliEnding>;
  /** Resolves when standard error contains this. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** The same for standard output. */
  printedToOutput(pattern: RegExp): Promise<RegExpExecArray>;
}

let host: ReturnType<typeof startHost> | undefined;
/** Commands wait for the one before. */
let previous: Promise<unknown> = Promise.resolve();

/** Starts the process in which commands run. It ends with the tests. */
function startHost() {
  const child = fork(new URL('cli-host.ts', import.meta.url), [program], { execArgv: ['--import=tsx'] });
  const died = once(child, 'exit').then(([code, signal]) => {
    host = undefined;
    throw new Error(`The process for commands ended with ${code ?? signal}.`);
  });
  died.catch(() => undefined);
  return { child, died };
}

function runInHost(call: CliCall): Promise<CliEnding> {
  const ended = previous.then(async (): Promise<CliEnding> => {
    host ??= startHost();
    const { child, died } = host;
    const handles = [child, child.channel];
    // While no command runs, the process must not keep the tests alive.
    for (const handle of handles) handle?.ref();
    child.send(call);
    const [ending] = await Promise.race([once(child, 'message'), died]);
    for (const handle of handles) handle?.unref();
    return ending;
  });
  previous = ended.catch(() => undefined);
  return ended;
}

export async function makeComputer(env: Readonly<Record<string, string>>): Promise<Computer> {
  const folder = await makeTemporaryFolder();
  const environment = (more: Given['env'] = {}) => ({ PATH: process.env.PATH, HOME: folder.path, ...env, ...more });

  function start(args: readonly string[], { stdin = '', env: more }: Given = {}): RunningCli {
    const child = spawn(process.execPath, [program, ...args], { cwd: folder.path, env: environment(more) });
    const written = { stdout: '', stderr: '' };
    const waiting = new Set<() => void>();
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text) => {
        written[name] += text;
        for (const look of waiting) look();
      });
    }
    // A command that has ended reads no more.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    const ended = once(child, 'close').then(([code]): CliEnding => ({ code, ...written }));
    const waitFor = (name: keyof typeof written) => (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(written[name]);
          if (found) resolve(found);
        };
        waiting.add(look);
        ended.then(() => reject(new Error(`It ended without printing ${pattern}: ${written.stderr}`)));
        look();
      });
    return { child, ended, printed: waitFor('stderr'), printedToOutput: waitFor('stdout') };
  }

  return {
    folder,
    start,
    run: (args, given = {}) =>
      runsLong
        ? start(args, given).ended
        : runInHost({ args, cwd: folder.path, env: environment(given.env), stdin: given.stdin ?? '' }),
    async runInTerminal(args, columns, type = () => undefined, { env: more } = {}) {
      const quoted = [process.execPath, program, ...args].map((one) => `'${one.replaceAll("'", "'\\''")}'`).join(' ');
      const child = spawn('script', ['-qfec', `stty cols ${columns} rows 50; exec ${quoted}`, '/dev/null'], {
        cwd: folder.path,
        env: { TERM: 'xterm', SHELL: '/bin/sh', ...environment(more) },
      });
      let printed = '';
      let unread = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        printed += text;
        unread += text;
        const typed = type(unread);
        if (typed === undefined) return;
        unread = '';
        child.stdin.write(typed);
      });
      const [code] = await once(child, 'close');
      return { code, printed };
    },
  };
}
