import { chmod, stat } from 'node:fs/promises';
import { codeOf } from '../system-error.ts';

/** The codes of file systems that keep no rights, and of those that are gone by now. */
const harmless = new Set(['ENOENT', 'EPERM', 'ENOTSUP', 'EROFS']);

/**
 * Takes all rights on files and folders from everybody but this process's user. Leaves alone what belongs to another user,
 * and what is not there.
 */
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
