import { lstat, mkdir, opendir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Instant } from '../../core/ports/clock.ts';
import { unlessGone } from './errors.ts';

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

/** Deletes the files that have lain in a folder since before a time, and answers how many there were. */
export async function sweepFolder(folder: string, olderThan: Instant): Promise<number> {
  let swept = 0;
  for await (const entry of await opendir(folder)) {
    const file = join(folder, entry.name);
    const stats = await unlessGone(lstat(file));
    if (stats === undefined || stats.isDirectory() || Math.round(stats.mtimeMs) >= olderThan) continue;
    await unlessGone(unlink(file));
    swept++;
  }
  return swept;
}
