import { NoDatabase } from '../../adapters/sql/no-database.ts';
import { isFileLimit, tooFewFiles } from '../server/descriptor-limit.ts';
import { StoppedEarly } from '../server/start-failures.ts';
import { WrongSetting } from '../wiring/config.ts';
import { UnreachableDatabase } from '../wiring/unreachable-database.ts';
import { RefusedCommand } from './action.ts';

const hints: Readonly<Record<string, (error: NodeJS.ErrnoException & { address?: string; port?: number }) => string>> =
  {
    EADDRINUSE: ({ address, port }) => `Port ${port} on ${address} is taken: set PORT (or METRICS_PORT) to a free one.`,
    EADDRNOTAVAIL: ({ address }) => `This machine has no address ${address}: set HOST to one that it has.`,
    EACCES: ({ path, address, port }) =>
      path ? `No permission for ${path}.` : `No permission to listen on port ${port} of ${address}.`,
    EROFS: ({ path }) => `${path} is on a read-only file system.`,
    ENOTDIR: ({ path }) => `A part of ${path} is a file, not a folder.`,
    EISDIR: ({ path }) => `${path ?? 'A path'} is a folder, not a file.`,
    EEXIST: ({ path }) => `${path} exists already.`,
    ENOENT: ({ path }) => `There is no ${path}.`,
    SQLITE_CANTOPEN: () =>
      'The database file cannot be opened or created: check DATABASE_URL and the permissions of its folder.',
    SQLITE_READONLY: () => 'The database file cannot be written: check its permissions and those of its folder.',
    SQLITE_NOTADB: () => 'The file that DATABASE_URL names is not an SQLite database.',
    SQLITE_CORRUPT: () => 'The database file is damaged: run `latchkey-server check`, and restore a backup.',
    SQLITE_BUSY: () => 'Another process has locked the database for too long.',
    SQLITE_FULL: () => 'The disk is full.',
  };

const newDatabase =
  'Run the command in the folder of the server, or set DATABASE_URL to the same value as the server. Only serve, migrate, import and restore make a new database.';

/** Returns a name for the kind of the error, for `--json`. */
export function codeOf(error: unknown): string {
  if (error instanceof RefusedCommand) return error.code;
  if (error instanceof WrongSetting) return 'wrong_setting';
  if (error instanceof UnreachableDatabase) return 'database_unreachable';
  if (error instanceof NoDatabase) return 'no_database';
  if (error instanceof StoppedEarly) return 'stopped';
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') return one.code.toLowerCase();
  }
  return 'failed';
}

/** Returns one line that says what went wrong and, if known, what to do. A refused command may have more lines. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof RefusedCommand) return error.message;
  if (error instanceof UnreachableDatabase) return error.message;
  if (error instanceof NoDatabase) return `${error.message} ${newDatabase}`;
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (isFileLimit(one)) return tooFewFiles;
    const hint = 'code' in one && typeof one.code === 'string' ? hints[one.code] : undefined;
    if (hint) return hint(one);
  }
  return error.message.split('\n', 1)[0] ?? error.name;
}
