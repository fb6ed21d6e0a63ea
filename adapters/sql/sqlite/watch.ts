import { type BigIntStats, statSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Unavailable } from '../../../core/unavailable.ts';
import { codeOf } from '../../system-error.ts';

/** What an administrator must know of the file of an open database: one sentence with the file, one with the remedy. */
export interface DatabaseTrouble {
  /** `lost` is for good. `damaged` stays until the process is started again. `full` and `failing` (its disk) pass. */
  readonly kind: 'lost' | 'damaged' | 'full' | 'failing';
  readonly error: Error;
}

/** Looks after the file of an open database. */
export interface SqliteWatch {
  /** Does the work on the file and notes what it fails with. Throws `Unavailable` if the file is lost, or damaged where it was read. */
  guard<T>(work: () => Promise<T>): Promise<T>;
  /** Is told of work that may write and did not fail: trouble that passes may have passed. */
  passed(): void;
  /** Is told of a write that succeeded. */
  wrote(): void;
  /** Whether a write succeeded within the last second, and no trouble that passes is known. */
  isWritable(): boolean;
  /** Looks how much room there is, if a write was refused. Throws `Unavailable` if there is too little. */
  assertRoom(): Promise<void>;
  /** Looks at the file now. Throws `Unavailable` if it is lost, cannot be looked at, or was found to be damaged. */
  look(): Promise<void>;
  stop(): void;
}

/** Milliseconds between two looks at the file. */
const lookEvery = 2_000;
/** Bytes. On a full disk a write of a few pages may still find a gap in SQLite's own files. */
const enoughRoom = 1024 * 1024;
/** Milliseconds for which a write proves that the next one can be made. */
const provenFor = 1_000;

/** What the system says of a path that leads to no file, or not to the one that was opened. */
const missing: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ESTALE']);

/** What SQLite says of a page that holds nonsense. */
const damaging: ReadonlySet<string> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB']);
/** Milliseconds for which trouble that comes again is not told again. */
const quietFor = 60_000;

/**
 * Watches an open database file. It compares device and inode, because SQLite goes on writing to a file that was deleted or
 * replaced. It also looks at failed statements. `tell` is called when a kind of trouble begins, at most once in `quiet`
 * milliseconds.
 */
export function watchSqlite(
  file: string,
  tell: (trouble: DatabaseTrouble) => void,
  quiet: number = quietFor,
): SqliteWatch {
  const opened = statSync(file, { bigint: true });
  const known = new Map<DatabaseTrouble['kind'], Error>();
  const toldAt = new Map<DatabaseTrouble['kind'], number>();
  let wroteAt = Number.NEGATIVE_INFINITY;

  const begin = (kind: DatabaseTrouble['kind'], message: string, cause?: unknown) => {
    if (known.has(kind)) return;
    const error = new SqliteTrouble(message, { cause });
    known.set(kind, error);
    const now = performance.now();
    if (now - (toldAt.get(kind) ?? Number.NEGATIVE_INFINITY) < quiet) return;
    toldAt.set(kind, now);
    tell({ kind, error });
  };
  const refuseIf = (kind: DatabaseTrouble['kind']) => {
    const error = known.get(kind);
    if (error !== undefined) throw new Unavailable(error.message, { cause: error });
  };
  const lose = (what: string) => {
    clearInterval(timer);
    begin('lost', `The database file ${file} ${what} while it was in use. ${remedies.lost}`);
  };

  const look = async () => {
    refuseIf('lost');
    let found: BigIntStats | undefined;
    try {
      found = await stat(file, { bigint: true });
    } catch (error) {
      if (!missing.has(codeOf(error) ?? '')) {
        throw new Unavailable('The database file cannot be looked at.', { cause: error });
      }
    }
    if (found === undefined) lose('was deleted or moved');
    else if (found.dev !== opened.dev || found.ino !== opened.ino) lose('was replaced by another file');
    refuseIf('lost');
    refuseIf('damaged');
  };
  const timer = setInterval(() => void look().catch(() => undefined), lookEvery).unref();

  const hasRoom = async () => {
    const { bavail, bsize } = await statfs(dirname(file));
    return bavail * bsize >= enoughRoom;
  };
  const fill = (code: string) =>
    begin('full', `The database file ${file} cannot be written (${code}). ${remedies.full}`);
  let isJudging = false;
  /** On some file systems, this is how a full disk shows. A failing one may not answer: nobody waits for it. */
  const fail = async (code: string, cause: unknown) => {
    if (isJudging) return;
    isJudging = true;
    const isFull = !(await hasRoom().catch(() => true));
    isJudging = false;
    if (isFull) fill(code);
    else begin('failing', `The database file ${file} cannot be read or written (${code}). ${remedies.failing}`, cause);
  };
  let isLooking = false;
  const lookForRoom = async () => {
    if (isLooking) return;
    isLooking = true;
    if (await hasRoom().catch(() => false)) known.delete('full');
    isLooking = false;
  };
  const passed = () => {
    if (known.size === 0) return;
    known.delete('failing');
    if (known.has('full')) void lookForRoom();
  };

  return {
    async guard(work) {
      refuseIf('lost');
      try {
        return await work();
      } catch (error) {
        const code = sqliteCodeOf(error);
        if (code === 'SQLITE_FULL') fill(code);
        if (code === 'SQLITE_IOERR') void fail(code, error);
        if (!isDamage(error)) throw error;
        begin('damaged', `The database file ${file} is damaged (${code}). ${remedies.damaged}`, error);
        throw error instanceof Error && 'code' in error ? new Unavailable(error.message, { cause: error }) : error;
      }
    },
    passed,
    wrote() {
      wroteAt = performance.now();
      passed();
    },
    isWritable: () => !known.has('full') && !known.has('failing') && performance.now() - wroteAt < provenFor,
    async assertRoom() {
      known.delete('failing');
      if (!known.has('full')) return;
      if (!(await hasRoom())) refuseIf('full');
      known.delete('full');
    },
    look,
    stop: () => clearInterval(timer),
  };
}

const remedies = {
  lost: 'Put it back, or restore a backup, before the next start.',
  damaged: 'Stop the server, run `latchkey-server check`, and restore a backup.',
  full: 'Make room on its disk; the server goes on by itself then.',
  failing: "Look for faults of its disk in the system's log; the server goes on by itself when they have passed.",
} as const satisfies Record<DatabaseTrouble['kind'], string>;

class SqliteTrouble extends Error {
  override readonly name = 'SqliteTrouble';
}

/** Whether SQLite found a page that holds nonsense. */
export function isDamage(error: unknown): boolean {
  return damaging.has(sqliteCodeOf(error));
}

/** The code of SQLite that an error or one of its causes has, or an empty text. */
export function sqliteCodeOf(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    const code = codeOf(one) ?? '';
    if (code.startsWith('SQLITE_')) return code;
  }
  return '';
}
