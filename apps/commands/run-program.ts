import { isFileLimit, tooFewFiles } from '../server/descriptor-limit.ts';
import { StoppedEarly, WorkerFailed } from '../server/start-failures.ts';
import type { Terminal } from './terminal.ts';

/** The exit code of a command line that cannot be understood. A command that was refused or failed ends with 1. */
const misused = 2;

/** Why a command failed. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}

/**
 * Runs a command line to its end, and returns the exit code. Prints an error on standard error: as one line, or, with
 * `--json`, as JSON.
 */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    // Loaded here, so that an error while loading is also printed as one line.
    const { createProgram } = await import('./program.ts');
    const program = createProgram(terminal);
    // A server starts sooner without the commands of administrators.
    if (args[0] !== 'serve') (await import('./all-commands.ts')).addAdministration(program, terminal);
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (isCommanderError(error) && error.exitCode === 0) return 0; // It has printed the help or the version.
    const failure = await failureOf(error);
    if (failure === undefined) return 1;
    const { code, message, exitCode } = failure;
    const line = args.includes('--json') ? JSON.stringify({ error: { code, message } }) : `latchkey-server: ${message}`;
    terminal.stderr.write(`${line}\n`);
    return exitCode;
  }
}

interface CommanderError extends Error {
  readonly code: string;
  readonly exitCode: number;
}

function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && error.name === 'CommanderError' && 'exitCode' in error;
}

/** Returns `undefined` if a worker has already printed the error. */
async function failureOf(error: unknown): Promise<Failure | undefined> {
  if (isFileLimit(error)) return { code: 'too_few_files', message: tooFewFiles, exitCode: 1 };
  const { wrongUsage } = await import('./action.ts');
  if (isCommanderError(error)) return { code: wrongUsage, message: describeMistake(error), exitCode: misused };
  if (error instanceof WorkerFailed) return undefined;
  const { codeOf, describeError } = await import('./describe-error.ts');
  const code = codeOf(error);
  const exitCode = error instanceof StoppedEarly ? error.exitCode : code === wrongUsage ? misused : 1;
  return { code, message: describeError(error), exitCode };
}

/** Commander throws the whole help as the mistake if a command is missing. */
function describeMistake({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'a command is missing or unknown; --help lists all commands';
  return message
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
}
