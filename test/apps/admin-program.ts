import { expect } from 'chai';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { type Ending, runCommand } from '../support/run-command.ts';

/** The administration of one database, through the program. */
export interface Administration {
  /** What a command that succeeds prints, which is all that it says. */
  text(...args: readonly string[]): Promise<string>;
  /** The one document that it prints with `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into it.
  json(...args: readonly string[]): Promise<any>;
  /** The one line in which a command is refused. */
  refusal(...args: readonly string[]): Promise<string>;
  /** The same, with a text on standard input. */
  fed(input: string | Buffer, ...args: readonly string[]): Promise<Ending>;
  /** Works on the same database beside the program. */
  beside<T>(work: (parts: Parts) => Promise<T>): Promise<T>;
}

type Run = (
  args: readonly string[],
  settings: Record<string, string>,
  given?: { readonly stdin: string | Buffer },
) => Promise<Ending>;

/** Commands run in this process, or as `run` says. */
export function administer(settings: Record<string, string>, run: Run = runCommand): Administration {
  const text = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(args, settings);
    expect({ code, stderr }, args.join(' ')).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout.endsWith('\n')).to.equal(true);
    return stdout.slice(0, -1);
  };
  return {
    text,
    json: async (...args) => JSON.parse(await text(...args, '--json')),
    async refusal(...args) {
      const { code, stdout, stderr } = await run(args, settings);
      expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: 1, stdout: '' });
      return onlyLine(stderr);
    },
    fed: (input, ...args) => run(args, settings, { stdin: input }),
    async beside(work) {
      const parts = await compose(readConfig({ LOG_LEVEL: 'silent', ...settings }));
      return await work(parts).finally(() => parts.close());
    },
  };
}

/** The text of standard error, which is one line that begins with the program's name. */
export function onlyLine(stderr: string): string {
  const [, line] = /^latchkey-server: ([^\n]+)\n$/.exec(stderr) ?? [];
  expect(line, JSON.stringify(stderr)).to.be.a('string');
  return line ?? '';
}
