import { Readable, Writable } from 'node:stream';
import { runProgram } from '../../apps/commands/run-program.ts';
import type { Terminal } from '../../apps/commands/terminal.ts';
import { withFiles } from './server-process.ts';

/** The exit code and the output of a command. */
export interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Input of a command besides its settings. */
interface Given {
  readonly stdin?: string | Buffer;
  /** If true, the command gets SIGTERM at once. */
  readonly isStopped?: boolean;
}

/** Creates a terminal that records its output. */
export function createTerminal(settings: Record<string, string>, { stdin = '', isStopped = false }: Given = {}) {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written) =>
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        written[name] += text;
        done();
      },
    });
  const terminal: Terminal = {
    environment: { PATH: process.env.PATH, ...withFiles(settings) },
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: output('stdout'),
    stderr: Object.assign(output('stderr'), { isTTY: false }),
    stopSignal: () => (isStopped ? Promise.resolve('SIGTERM') : new Promise(() => undefined)),
  };
  return { terminal, written };
}

/** Runs a command of the server program in this process, which is much faster than a new process. */
export async function runCommand(
  args: readonly string[],
  settings: Record<string, string> = {},
  given: Given = {},
): Promise<Ending> {
  const { terminal, written } = createTerminal(settings, given);
  const code = await runProgram(args, terminal);
  return { code, ...written };
}
