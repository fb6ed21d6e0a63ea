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

/** How a long command shows its progress, and how it is stopped. */
export interface Work {
  readonly progress: Progress;
  readonly watched: Interruptible;
}

/** Refuses to store files in a place that loses them. */
export const filesTemporary = refuse(
  'files_temporary',
  'FILES_URL=temporary: would lose the files: set it to a permanent place.',
);

/** The key of a stored file, with its expected size and checksum. */
export interface ArchivedFile extends Digest {
  readonly key: string;
}

/**
 * Copies a stored file for an archive. Throws `RefusedCommand` if the file is missing. `done` completes the message
 * "Nothing was …", for example "exported".
 */
export async function copyStored(
  files: StoredFiles,
  key: string,
  to: string,
  { watched, done }: { readonly watched: Interruptible; readonly done: string },
): Promise<ArchivedFile> {
  if (!(await files.has(key))) {
    throw new RefusedCommand(`Nothing was ${done}: the file ${key} is missing in FILES_URL.`);
  }
  return { key, ...(await writeNew(to, watched(files.read(key)))) };
}

/** Why an archive with this file name is refused. */
export function wrongKey(key: string): string {
  return `${JSON.stringify(key)} is not a valid file name.`;
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

/**
 * Reads a file in pieces. Opens it at the first read, because a stream that fails without a reader would end the
 * process.
 */
export async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path);
}

export function isSame(one: Digest, other: Digest): boolean {
  return one.bytes === other.bytes && one.sha256 === other.sha256;
}

/** Why an archive is refused if this file differs. */
export function changed(key: string): string {
  return `the file ${key} has changed since it was written.`;
}

/** Returns the number of files in an archive, and their total size. */
export function totalOf(files: readonly ArchivedFile[]): { readonly count: number; readonly bytes: number } {
  return { count: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Describes the content of a backup. */
export function contentOf({ database: { bytes }, files }: BackupManifest) {
  const total = totalOf(files);
  const text = `the database (${bytes} bytes) and ${total.count} files (${total.bytes} bytes)`;
  return { database: { bytes }, files: total, text };
}
