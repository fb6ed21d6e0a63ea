import { chown, stat } from 'node:fs/promises';

/**
 * Gives a file or folder that root has made to the owner of `folder`, so that the service's own user can use it. Does nothing
 * for other users: what they make is theirs.
 */
export async function giveToOwnerOf(folder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(path, uid, gid);
}
