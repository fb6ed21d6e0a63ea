import { isFileLimit, tooFewFiles } from '../server/descriptor-limit.ts';
import { StoppedEarly } from '../server/stopped-early.ts';
import type { Terminal } from './terminal.ts';

/** Runs a command line to its end. Returns the exit code; what went wrong is on standard error, in one line. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    // Loaded here, so that what keeps it from loading is told in one line too.
    const { createProgram } = await import('./program.ts');
    await createProgram(terminal).parseAsync(args, { from: 'user' });
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

/** What to say of an error: nothing where a worker has said it. */
async function lineFor(error: unknown): Promise<string | undefined> {
  if (isFileLimit(error)) return tooFewFiles;
  const { WorkerFailed } = await import('../server/worker-failed.ts');
  if (error instanceof WorkerFailed) return undefined;
  const { describeError } = await import('./describe-error.ts');
  return describeError(error);
}
