import { CommanderError } from 'commander';
import { MissingPart } from '../sdk/account/client.ts';
import { colored, note } from './output.ts';
import { createProgram } from './program.ts';
import { type ExitCode, exitCodes, Stop } from './stop.ts';

/**
 * Runs the program with these arguments. Returns the exit code. A failure is told on standard error: in words, or with
 * `--json` as JSON on the last line.
 */
export async function run(args: readonly string[]): Promise<number> {
  const isJson = args.includes('--json');
  // A reader such as `head` may end before the output does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exitCodes.done);
  });
  try {
    await createProgram(isJson ? () => undefined : undefined).parseAsync([...args], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    const { exit, message, advice, details } = stopOf(error);
    if (isJson) {
      const { code = codes[exit], ...more } = details;
      process.stderr.write(`${JSON.stringify({ error: { code, message, advice, ...more } })}\n`);
    } else if (!(error instanceof CommanderError)) {
      note(`${colored('red', 'Error:', process.stderr)} ${message}`);
      if (advice !== undefined) note(advice);
    }
    return exitCodes[exit];
  }
}

/** The code of a failure that has no other one. */
const codes: Readonly<Record<ExitCode, string>> = {
  failed: 'failed',
  wrongUsage: 'wrong_usage',
  notSignedIn: 'not_signed_in',
  refused: 'refused',
};

/** Throws what is a mistake in this program. */
function stopOf(error: unknown): Stop {
  if (error instanceof Stop) return error;
  if (error instanceof CommanderError) return new Stop('wrongUsage', mistakeIn(error), 'See --help.');
  // Such as an empty argument from a variable that is not set.
  if (error instanceof MissingPart) return new Stop('wrongUsage', 'An argument is empty.', 'See --help.');
  // Such as a file that does not exist. Node names the file in the message.
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') throw error;
  return new Stop('failed', message, undefined, undefined, { code: code.toLowerCase() });
}

/** Commander throws the whole help if a command is missing. */
function mistakeIn({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing.';
  return message
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
}
