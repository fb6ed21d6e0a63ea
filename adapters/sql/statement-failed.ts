import { codeOf } from '../system-error.ts';

/** The database refused a statement. The error contains no parameter and no value of a row. */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed';
  /** The driver's code: for example `SQLITE_CONSTRAINT`, or the five characters of Postgres. */
  readonly code: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;

  constructor(message: string, code: string, names: Names) {
    super(message);
    this.code = code;
    Object.assign(this, names);
  }
}

interface Names {
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
}

/**
 * The error classes of Postgres whose messages contain names only, never values: names of tables, columns, constraints,
 * settings, users and functions. Other classes quote values (22: `invalid input syntax for type integer: "…"`).
 */
const namesOnly = /^(?:08|0A|25|23|26|28|3D|3F|40|42|53|54|55|57|58)...$/;
/** Longer messages are shortened, because a statement may have thousands of placeholders. */
const maxLength = 600;

/**
 * Turns an error of the driver into `StatementFailed`, without any value. Returns other errors unchanged. Drops
 * `detail`, `where` and `hint` of Postgres. Knex puts the statement before the message, without its values
 * (`compileSqlOnError: false`).
 */
export function withoutValues(error: unknown): unknown {
  const code = codeOf(error);
  if (!(error instanceof Error) || code === undefined) return error;
  const { message } = error;
  if (code.startsWith('SQLITE_')) return new StatementFailed(shorten(message), code, {});
  if (!('severity' in error) || !/^[0-9A-Z]{5}$/.test(code)) return error;
  const told = namesOnly.test(code) ? shorten(message) : `Postgres refused a statement with the code ${code}.`;
  return new StatementFailed(told, code, namesOf(error));
}

function namesOf(error: object): Names {
  const fields = ['table', 'column', 'constraint'] as const;
  const given = new Map(Object.entries(error));
  return Object.fromEntries(fields.flatMap((name) => (given.get(name) ? [[name, String(given.get(name))]] : [])));
}

function shorten(message: string): string {
  return message.length <= maxLength
    ? message
    : `${message.slice(0, maxLength / 2)} … ${message.slice(-maxLength / 2)}`;
}
