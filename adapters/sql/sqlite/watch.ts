import { type BigIntStats, statSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { minute } from '../../../core/time.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { codeOf } from '../../system-error.ts';

/** Trouble with the file of an open database. The message of `error` names the file and the remedy. */
export interface DatabaseTrouble {
  /** `lost` is permanent. `damaged` remains until a restart. `full` and `failing` (the disk) are temporary. */
  readonly kind: 'lost' | 'damaged' | 'full' | 'failing';
  readonly error: Error;
}

/** Watches the file of an open database. */
export interface SqliteWatch {
  /** Does the work and records trouble. Throws `Unavailable` if the file is lost or the work reads a damaged page. */
  guard<T>(work: () => Promise<T>): Promise<T>;
  /** Call this after work that may write and did not fail, because temporary trouble may be over. */
  passed(): void;
  /** Call this after a write that succeeded. */
  wrote(): void;
  /** Whether a write succeeded within the last second, and no temporary trouble is known. */
  isWritable(): boolean;
  /** Checks the free space if the disk was full. Throws `Unavailable` if it still has too little. */
  assertRoom(): Promise<void>;
  /** Checks the file now. Throws `Unavailable` if the check fails, or if the file is lost or known to be damaged. */
  look(): Promise<void>;
  stop(): void;
}

/** Milliseconds between two checks of the file. */
const lookEvery = 2_000;
/**
 * In bytes. With less free space, the disk still counts as full. A write of a few pages may succeed anyway, because
 * SQLite's own files have unused space.
 */
const enoughRoom = 1024 * 1024;
/** How long a write proves that the file is writable. In milliseconds. */
const provenFor = 1_000;

/** System error codes for a path that leads to no file, or not to the opened one. */
const missing: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ESTALE']);

/** SQLite's error codes for a page with invalid content. */
const damaging: ReadonlySet<string> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB']);
/** How long the same kind of trouble is not reported again. In milliseconds. */
const quietFor = minute;

/**
 * Watches an open database file. Compares device and inode, because SQLite continues to write to a file that was
 * deleted or replaced. Also checks the errors of failed statements. Calls `report` when a kind of trouble begins, at most
 * once in `quiet` milliseconds.
 */
export function watchSqlite(
  file: string,
  report: (trouble: DatabaseTrouble) => void,
  quiet: number = quietFor,
): SqliteWatch {
  const opened = statSync(file, { bigint: true });
  const known = new Map<DatabaseTrouble['kind'], Error>();
  const reportedAt = new Map<DatabaseTrouble['kind'], number>();
  let wroteAt = Number.NEGATIVE_INFINITY;

  const begin = (kind: DatabaseTrouble['kind'], message: string, cause?: unknown) => {
    if (known.has(kind)) return;
    const error = new SqliteTrouble(message, { cause });
    known.set(kind, error);
    const now = performance.now();
    if (now - (reportedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < quiet) return;
    reportedAt.set(kind, now);
    report({ kind, error });
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
        throw new Unavailable('The database file cannot be checked.', { cause: error });
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
  /** On some file systems, a full disk causes I/O errors. A failing disk may hang, so nobody waits for this check. */
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
  full: 'Free some space on its disk. The server then recovers by itself.',
  failing: 'Check the system log for disk errors. The server recovers by itself when they stop.',
} as const satisfies Record<DatabaseTrouble['kind'], string>;

class SqliteTrouble extends Error {
  override readonly name = 'SqliteTrouble';
}

/** Whether SQLite found a page with invalid content. */
export function isDamage(error: unknown): boolean {
  return damaging.has(sqliteCodeOf(error));
}

/** Returns the SQLite code of an error or of one of its causes, or an empty text if they have no code. */
export function sqliteCodeOf(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    const code = codeOf(one) ?? '';
    if (code.startsWith('SQLITE_')) return code;
  }
  return '';
}
