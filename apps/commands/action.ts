import { userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import type { Opening } from '../../adapters/sql/no-database.ts';
import type { By } from '../../core/events/event.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import type { Parts } from '../wiring/compose.ts';
import { readConfig, WrongSetting } from '../wiring/config.ts';
import { t } from '../wiring/tokens.ts';
import { line } from './fields.ts';
import { toJson } from './json.ts';
import type { Terminal } from './terminal.ts';

/** What a command has to say: what `--json` prints as a document, and the text that people read. */
export interface Answer {
  readonly json: object;
  readonly text: string;
  /** What did not come about although the rest did. It is told last, and the command fails. */
  readonly failure?: string | undefined;
}

export interface AnswerOptions {
  readonly json?: true;
}

export interface ChangeOptions extends AnswerOptions {
  readonly reason?: string;
  readonly actor: string;
}

/** A command that was refused, told in one line, or in one for each fault of a file. */
export class RefusedCommand extends Error {
  override readonly name = 'RefusedCommand';
}

type Administration = (parts: Parts) => Promise<Answer | Refused>;

/**
 * Does the work on the database that is configured, and prints its answer once all is closed. Throws `RefusedCommand`
 * where the work is refused; nothing is printed then. Throws `NoDatabase`, before any work, if there is no database, unless the
 * command may make one: in the wrong folder, a new and empty one would pass for the server's.
 */
export async function administer(
  terminal: Terminal,
  options: AnswerOptions,
  work: Administration,
  { mustExist = true }: Opening = {},
): Promise<void> {
  const config = readConfig(terminal.environment);
  if (config.DATABASE_URL.kind === 'memory') {
    throw new WrongSetting('DATABASE_URL=memory: cannot be administered: it is inside the process of its server.');
  }
  // Loaded here, so that --help and slips of the pen are answered at once.
  const { compose } = await import('../wiring/compose.ts');
  const parts = await compose({ ...config, LOG_LEVEL: 'silent' }, { mustExist });
  const run = async () => {
    if (mustExist) await parts.get(t.database); // It is here that a missing database is noticed.
    return await work(parts);
  };
  await printAnswer(terminal, options, await run().finally(() => parts.close()));
}

/** Prints what a command answers. Throws `RefusedCommand` if it was refused, or not all came about. */
export async function printAnswer(
  { stdout }: Terminal,
  { json }: AnswerOptions,
  answer: Answer | Refused,
): Promise<void> {
  if (isRefused(answer)) throw new RefusedCommand(answer.detail ?? `Refused: ${answer.reason}.`);
  await print(stdout, json ? toJson(answer.json) : answer.text);
  if (answer.failure !== undefined) throw new RefusedCommand(answer.failure);
}

/** Prints on standard output. Whoever reads may stop reading, as `head` does. */
export function print(stdout: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.once('error', (error: NodeJS.ErrnoException) => {
      error.code === 'EPIPE' ? resolve() : reject(error);
    });
    stdout.write(`${text}\n`, (error) => {
      if (!error) resolve();
    });
  });
}

/** A command that answers. */
export function answering(command: Command): Command {
  return command.option('--json', 'print one JSON document');
}

/** A command that changes something, which the audit trail keeps. */
export function changing(command: Command): Command {
  return answering(command)
    .option('--reason <text>', 'why, for the audit trail', reads(line(1_000)))
    .option('--actor <name>', 'who, for the audit trail', reads(line(200)), `admin:${userName()}`);
}

export function by({ actor, reason }: ChangeOptions): By {
  return { actor, reason };
}

/** Reads what is given for an option or argument; what is wrong with it ends the command in one line. */
export function reads<T>(schema: z.ZodType<T, string>): (text: string) => T {
  return (text) => {
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    throw new InvalidArgumentError(result.error.issues[0]?.message ?? '');
  };
}

/** Some containers run under a number that no user has. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
