import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileStorage } from '../../core/ports/file-storage.ts';

/** Does work on a stored file at a path on this machine. The path is valid only during the work. */
export type WithLocalFile = <T>(key: string, work: (path: string) => Promise<T>) => Promise<T>;

/** Copies each file into the folder for incoming files, and deletes the copy after the work. */
export function createLocalCopies(files: Pick<FileStorage, 'read'> & { readonly staging: string }): WithLocalFile {
  return async (key, work) => {
    const path = join(files.staging, randomUUID());
    try {
      await pipeline(files.read(key), createWriteStream(path, { flags: 'wx' }));
      return await work(path);
    } finally {
      await rm(path, { force: true });
    }
  };
}
