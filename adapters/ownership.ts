import { chown, stat } from 'node:fs/promises';

/**
 * If this process runs as root, changes the owner of `path` to the owner of `folder`, so that the service's user can
 * use it. Does nothing for other users.
 */
export async function giveToOwnerOf(folder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(path, uid, gid);
}
