import { userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import type { Opening } from '../../adapters/sql/no-database.ts';
import type { Actor } from '../../core/accounts/role.ts';
import { iso } from '../../core/iso.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import type { Parts } from '../wiring/compose.ts';
import { readConfig, WrongSetting } from '../wiring/config.ts';
import { t } from '../wiring/tokens.ts';
import { line } from './fields.ts';
import type { Terminal } from './terminal.ts';

/** The result of a command: the document for `--json`, and the text for people. */
export interface Answer {
  readonly json: object;
  readonly text: string;
  /** The part that failed, if the rest succeeded. It is printed last, and the command fails. */
  readonly failure?: string | undefined;
}

export interface AnswerOptions {
  readonly json?: true;
}

export interface ChangeOptions extends AnswerOptions {
  readonly reason?: string;
  readonly actor: string;
}

/** A command was refused. The message has one line, or one for each fault of a file. */
export class RefusedCommand extends Error {
  override readonly name = 'RefusedCommand';
  /** Names the reason for `--json`. */
  readonly code: string;

  constructor(message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = options.code ?? 'refused';
  }
}

/** Options or arguments are missing that the parser does not require, because they are needed only in some cases. */
export class WrongUsage extends RefusedCommand {
  constructor(message: string) {
    super(message, { code: wrongUsage });
  }
}

/** The code of a command line that cannot be understood. */
export const wrongUsage = 'wrong_usage';

type Administration = (parts: Parts) => Promise<Answer | Refused>;

/**
 * Does the work on the configured database, and prints the result after everything is closed. Throws `RefusedCommand`
 * if the work is refused, and prints nothing then. With `mustExist`, throws `NoDatabase` before any work if there is no
 * database. Otherwise a command in the wrong folder would create an empty database, which could be mistaken for that of
 * the server.
 */
export async function administer(
  terminal: Terminal,
  options: AnswerOptions,
  work: Administration,
  { mustExist = true }: Opening = {},
): Promise<void> {
  const config = readConfig(terminal.environment);
  if (config.DATABASE_URL.kind === 'memory') {
    throw new WrongSetting(
      'DATABASE_URL=memory: cannot be used by a command, because its data exist only in the process of the server.',
    );
  }
  // Loaded here, so that --help and typing errors are answered at once.
  const { compose } = await import('../wiring/compose.ts');
  const parts = await compose({ ...config, LOG_LEVEL: 'silent' }, { mustExist });
  const run = async () => {
    if (mustExist) await parts.get(t.database); // Throws `NoDatabase`.
    return await work(parts);
  };
  await printAnswer(terminal, options, await run().finally(() => parts.close()));
}

/** Prints the result of a command. Throws `RefusedCommand` if the command was refused, or if a part of it failed. */
export async function printAnswer(
  { stdout }: Terminal,
  { json }: AnswerOptions,
  answer: Answer | Refused,
): Promise<void> {
  if (isRefused(answer)) {
    throw new RefusedCommand(answer.detail ?? `Refused: ${answer.reason}.`, { code: answer.reason });
  }
  await print(stdout, json ? toJson(answer.json) : answer.text);
  if (answer.failure !== undefined) throw new RefusedCommand(answer.failure, { code: 'incomplete' });
}

/** Prints on standard output. The reader may stop reading, as `head` does. */
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

/** Adds the option of a command that prints a result. */
export function answering(command: Command): Command {
  return command.option('--json', 'print one JSON document');
}

/** Adds the options of a command that changes something, for the audit trail. */
export function changing(command: Command): Command {
  return answering(command)
    .option('--reason <text>', 'the reason of the change, for the audit trail', reads(line(1_000)))
    .option('--actor <name>', 'who makes the change, for the audit trail', reads(line(200)), defaultActor());
}

/** Who runs a command: the operator, who may do everything. */
export function operator({ actor = defaultActor(), reason }: Partial<ChangeOptions> = {}): Actor {
  return { kind: 'operator', by: { actor, reason } };
}

function defaultActor(): string {
  return `admin:${userName()}`;
}

/** Returns a parser for an option or argument. An invalid value ends the command with one line. */
export function reads<T>(schema: z.ZodType<T, string>): (text: string) => T {
  return (text) => {
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    throw new InvalidArgumentError(result.error.issues[0]?.message ?? '');
  };
}

/** Some containers run under a user number without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** Renders the result of a use case as JSON: names in snake_case, times (`at`, `expiresAt`, `updatesUntil`) in ISO 8601. */
export function toJson(answer: object): string {
  return JSON.stringify(answer, (_, part: unknown) => (isRecord(part) ? renamed(part) : part), 2);
}

function isRecord(part: unknown): part is object {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

function renamed(part: object): object {
  const entries = Object.entries(part).map(([name, value]: [string, unknown]) => {
    const isTime = /(?:^at|At|_at|Until)$/.test(name) && typeof value === 'number';
    return [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), isTime ? iso(value) : value];
  });
  return Object.fromEntries(entries);
}
