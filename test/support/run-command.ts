import { Readable, Writable } from 'node:stream';
import { runProgram } from '../../apps/commands/run-program.ts';
import type { Terminal } from '../../apps/commands/terminal.ts';
import { withFiles } from './server-process.ts';

/** How a command ended, and what it wrote. */
export interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command is given beside its settings. */
interface Given {
  readonly stdin?: string | Buffer;
  /** Whether it is told to stop at once. */
  readonly isStopped?: boolean;
}

/** A terminal that keeps what is written. */
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

/** Runs a command of the server's program in this process, which is many times quicker than a process of its own. */
export async function runCommand(
  args: readonly string[],
  settings: Record<string, string> = {},
  given: Given = {},
): Promise<Ending> {
  const { terminal, written } = createTerminal(settings, given);
  const code = await runProgram(args, terminal);
  return { code, ...written };
}
