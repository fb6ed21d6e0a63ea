import { expect } from 'chai';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { type Ending, runCommand } from '../support/run-command.ts';

/** Administers one database through the program. */
export interface Administration {
  /** Returns the output of a command that succeeds and prints nothing on standard error. */
  text(...args: readonly string[]): Promise<string>;
  /** Returns the JSON document that the command prints with `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into it.
  json(...args: readonly string[]): Promise<any>;
  /** Returns the one line that a refused command prints. */
  refusal(...args: readonly string[]): Promise<string>;
  /** Returns the one line that is printed for a command line that cannot be understood. */
  misuse(...args: readonly string[]): Promise<string>;
  /** Runs a command with this text on standard input. Returns how it ended. */
  fed(input: string | Buffer, ...args: readonly string[]): Promise<Ending>;
  /** Uses the same database without the program. */
  beside<T>(work: (parts: Parts) => Promise<T>): Promise<T>;
}

type Run = (
  args: readonly string[],
  settings: Record<string, string>,
  given?: { readonly stdin: string | Buffer },
) => Promise<Ending>;

/** Commands run in this process, unless `run` does it in another way. */
export function administer(settings: Record<string, string>, run: Run = runCommand): Administration {
  const text = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(args, settings);
    expect({ code, stderr }, args.join(' ')).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout.endsWith('\n')).to.equal(true);
    return stdout.slice(0, -1);
  };
  const failure = async (exitCode: number, args: readonly string[]) => {
    const { code, stdout, stderr } = await run(args, settings);
    expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: exitCode, stdout: '' });
    return onlyLine(stderr);
  };
  return {
    text,
    json: async (...args) => JSON.parse(await text(...args, '--json')),
    refusal: (...args) => failure(1, args),
    misuse: (...args) => failure(2, args),
    fed: (input, ...args) => run(args, settings, { stdin: input }),
    async beside(work) {
      const parts = await compose(readConfig({ LOG_LEVEL: 'silent', ...settings }));
      return await work(parts).finally(() => parts.close());
    },
  };
}

/** Returns the text of standard error: one line that begins with the program's name. */
export function onlyLine(stderr: string): string {
  const [, line] = /^latchkey-server: ([^\n]+)\n$/.exec(stderr) ?? [];
  expect(line, JSON.stringify(stderr)).to.be.a('string');
  return line ?? '';
}
