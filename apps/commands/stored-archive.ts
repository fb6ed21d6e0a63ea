import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupManifest } from '../../adapters/sql/archive/backup-manifest.ts';
import { type Digest, digestOf, writeNew } from '../../adapters/sql/archive/lines.ts';
import { refuse } from '../../core/refusal.ts';
import type { StoredFiles } from '../wiring/file-serving.ts';
import { RefusedCommand } from './action.ts';
import type { Interruptible } from './interruptible.ts';
import type { Progress } from './progress.ts';

/** What a long command is told with, and stopped by. */
export interface Work {
  readonly progress: Progress;
  readonly watched: Interruptible;
}

/** Refuses to store files where they would be lost. */
export const filesTemporary = refuse(
  'files_temporary',
  'FILES_URL=temporary: would lose the files: set where they are to be kept.',
);

/** A stored file, and what it must hold. */
export interface ArchivedFile extends Digest {
  readonly key: string;
}

/**
 * Copies a stored file for an archive. Throws `RefusedCommand` if there is none. `done` is what was not done then, as in "Nothing
 * was exported".
 */
export async function copyStored(
  files: StoredFiles,
  key: string,
  to: string,
  { watched, done }: { readonly watched: Interruptible; readonly done: string },
): Promise<ArchivedFile> {
  if (!(await files.has(key))) {
    throw new RefusedCommand(`Nothing was ${done}: the file ${key} is not where FILES_URL says.`);
  }
  return { key, ...(await writeNew(to, watched(files.read(key)))) };
}

/** Why an archive is refused that names a file so. */
export function wrongKey(key: string): string {
  return `${JSON.stringify(key)} is not what a file may be called.`;
}

/**
 * Stores a file from an archive and adds its key to `put`. If the same file is already stored, it does nothing. Throws
 * `refuse(why)` if the stored file or the archived file differs.
 */
export async function storeArchived(
  files: StoredFiles,
  from: string,
  { key, ...expected }: ArchivedFile,
  { watched, put, refuse }: { watched: Interruptible; put: string[]; refuse: (why: string) => Error },
): Promise<void> {
  if (await files.has(key)) {
    if (isSame(await digestOf(watched(files.read(key))), expected)) return;
    throw refuse(`another file is stored as ${key} already.`);
  }
  const copy = join(files.staging, randomUUID());
  try {
    if (!isSame(await writeNew(copy, watched(piecesOf(from))), expected)) throw refuse(changed(key));
    put.push(key);
    await files.put(key, copy);
  } finally {
    await rm(copy, { force: true });
  }
}

/** A file, piece by piece. It is opened with the first: a stream that fails before somebody reads it would end the process. */
export async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path);
}

export function isSame(one: Digest, other: Digest): boolean {
  return one.bytes === other.bytes && one.sha256 === other.sha256;
}

/** Why an archive is refused in which this file differs. */
export function changed(key: string): string {
  return `the file ${key} is not as it was written.`;
}

/** How many files an archive has, and their bytes together. */
export function totalOf(files: readonly ArchivedFile[]): { readonly count: number; readonly bytes: number } {
  return { count: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** What an answer says of a backup. */
export function contentOf({ database: { bytes }, files }: BackupManifest) {
  const total = totalOf(files);
  const text = `the database (${bytes} bytes) and ${total.count} files (${total.bytes} bytes)`;
  return { database: { bytes }, files: total, text };
}
