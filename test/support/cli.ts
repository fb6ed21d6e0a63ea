import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

const program = fileURLToPath(new URL('../../apps/cli/dist/latchkey.js', import.meta.url));

export interface CliEnding {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Given {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A computer on which somebody uses the built `latchkey`: its home folder is empty at first. */
export interface Computer {
  readonly folder: TemporaryFolder;
  /** Runs a command to its end. */
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
    run: (args, given) => start(args, given).ended,
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
