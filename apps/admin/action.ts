import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import type { By } from '../../core/events/event.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import type { Parts } from '../compose.ts';
import { readConfig, WrongSetting } from '../config.ts';
import { line } from './fields.ts';

/** What a command has to say: the document that `--json` prints, and the text that people read. */
export interface Answer {
  readonly json: object;
  readonly text: string;
}

export interface AnswerOptions {
  readonly json?: true;
}

export interface ChangeOptions extends AnswerOptions {
  readonly reason?: string;
  readonly actor: string;
}

/** A command that was refused, told in one line. */
export class RefusedCommand extends Error {
  override readonly name = 'RefusedCommand';
}

/**
 * Does the work on the database that is configured, and prints its answer once all is closed. Throws `RefusedCommand`
 * where the work is refused; nothing is printed then.
 */
export async function administer(
  { json }: AnswerOptions,
  work: (parts: Parts) => Promise<Answer | Refused>,
): Promise<void> {
  const config = readConfig();
  if (config.DATABASE_URL.kind === 'memory') {
    throw new WrongSetting('DATABASE_URL=memory: cannot be administered: it is inside the process of its server.');
  }
  // Loaded here, so that --help and slips of the pen are answered at once.
  const { compose } = await import('../compose.ts');
  const parts = await compose({ ...config, LOG_LEVEL: 'silent' });
  const answer = await work(parts).finally(() => parts.close());
  if (isRefused(answer)) throw new RefusedCommand(answer.detail ?? `Refused: ${answer.reason}.`);
  await print(json ? JSON.stringify(answer.json, null, 2) : answer.text);
}

/** Whoever reads may stop reading, as `head` does. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', (error: NodeJS.ErrnoException) => {
      error.code === 'EPIPE' ? resolve() : reject(error);
    });
    process.stdout.write(`${text}\n`, (error) => {
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
