import { CommanderError } from 'commander';
import { colored, note } from './output.ts';
import { createProgram } from './program.ts';
import { exitCodes, Stop } from './stop.ts';

/** Runs the program with these arguments. Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  // A reader such as `head` may end before the output does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exitCodes.done);
  });
  try {
    await createProgram().parseAsync([...args], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
    if (error instanceof Stop) {
      note(`${colored('red', 'Error:', process.stderr)} ${error.message}`);
      if (error.advice !== undefined) note(error.advice);
      return exitCodes[error.exit];
    }
    // Such as a file that does not exist. Node names the file in the message.
    const { code, message } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    note(`${colored('red', 'Error:', process.stderr)} ${message}`);
    return exitCodes.failed;
  }
}
