import { lstat, opendir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Abort } from '../../core/abort.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { unlessGone } from './errors.ts';

/** Deletes files in a folder that are older than a time. Returns their number. Can be stopped after each file. */
export async function sweepFolder(folder: string, olderThan: Instant, stop?: Abort): Promise<number> {
  let swept = 0;
  for await (const entry of await opendir(folder)) {
    if (stop?.aborted) break;
    const file = join(folder, entry.name);
    const stats = await unlessGone(lstat(file));
    if (stats === undefined || stats.isDirectory() || Math.round(stats.mtimeMs) >= olderThan) continue;
    await unlessGone(unlink(file));
    swept++;
  }
  return swept;
}
