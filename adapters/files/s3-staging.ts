import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Makes the folder, by default one of this user's alone among the system's temporary files, and answers its path. */
export async function makeStaging(folder?: string): Promise<string> {
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    return resolve(folder);
  }
  const user = process.getuid?.();
  const path = join(tmpdir(), `latchkey-staging-${user ?? 'files'}`);
  await mkdir(path, { recursive: true, mode: 0o700 });
  const stats = await lstat(path);
  if (!stats.isDirectory() || (user !== undefined && stats.uid !== user)) {
    throw new Error(`${path} belongs to somebody else: give another folder for incoming files.`);
  }
  return path;
}
