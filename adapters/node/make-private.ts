import { chmod, stat } from 'node:fs/promises';
import { codeOf } from '../system-error.ts';

/** Errors of missing files, and of file systems that cannot change permissions. */
const harmless = new Set(['ENOENT', 'EPERM', 'ENOTSUP', 'EROFS']);

/** Removes the permissions of group and others. Skips paths that belong to another user or do not exist. */
export async function makePrivate(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      const { mode, uid } = await stat(path);
      if ((mode & 0o077) !== 0 && uid === process.getuid?.()) await chmod(path, mode & 0o700);
    } catch (error) {
      if (!harmless.has(codeOf(error) ?? '')) throw error;
    }
  }
}
