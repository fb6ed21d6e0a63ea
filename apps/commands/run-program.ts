import { isFileLimit, tooFewFiles } from '../server/descriptor-limit.ts';
import { StoppedEarly } from '../server/stopped-early.ts';
import type { Terminal } from './terminal.ts';

/** Runs a command line to its end, and returns the exit code. Prints an error as one line on standard error. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    // Loaded here, so that an error while loading is also printed as one line.
    const { createProgram } = await import('./program.ts');
    const program = createProgram(terminal);
    // A server starts sooner without the commands of administrators.
    if (args[0] !== 'serve') (await import('./administration.ts')).addAdministration(program, terminal);
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (isExit(error)) return error.exitCode;
    const line = await lineFor(error);
    if (line !== undefined) terminal.stderr.write(`latchkey-server: ${line}\n`);
    return error instanceof StoppedEarly ? error.exitCode : 1;
  }
}

/** Commander has already printed the mistake or the help. */
function isExit(error: unknown): error is { readonly exitCode: number } {
  return error instanceof Error && error.name === 'CommanderError' && 'exitCode' in error;
}

/** Returns the line for an error, or `undefined` if a worker has already printed it. */
async function lineFor(error: unknown): Promise<string | undefined> {
  if (isFileLimit(error)) return tooFewFiles;
  const { WorkerFailed } = await import('../server/worker-failed.ts');
  if (error instanceof WorkerFailed) return undefined;
  const { describeError } = await import('./describe-error.ts');
  return describeError(error);
}
