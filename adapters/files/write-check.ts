import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { translate, unlessGone } from './errors.ts';

/** After a write that worked, the disk is not asked again for so many milliseconds. */
const writtenFor = 10_000;
/** Enough for a full disk to have no room for it. */
const page = Buffer.alloc(4_096, 1);

/**
 * Returns a check whether a file can be written durably in a folder. It writes a page and deletes it, at most once in
 * ten seconds while this works, and each time while it does not, so that the end of an outage is seen at once. It throws
 * `Unavailable` if the disk is full or fails. `now` is a monotonic clock.
 */
export function createWriteCheck(folder: string, now = () => performance.now()): () => Promise<void> {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  async function write(): Promise<void> {
    const path = join(folder, `check-${randomUUID()}`);
    await translate(async () => {
      try {
        const file = await open(path, 'wx', 0o600);
        try {
          await file.write(page);
          await file.sync();
        } finally {
          await file.close();
        }
      } finally {
        await unlessGone(unlink(path));
      }
    });
    writtenAt = now();
  }

  return async () => {
    if (now() - writtenAt < writtenFor) return;
    running ??= write().finally(() => {
      running = undefined;
    });
    await running;
  };
}
