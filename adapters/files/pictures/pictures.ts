import { randomUUID } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { hour, second } from '../../../core/time.ts';
import type { PictureForm, Pictures } from '../../contracts/pictures.ts';
import { createFairQueue } from '../../queue.ts';
import type { WithLocalFile } from '../local-copies.ts';
import type { Render } from './render.ts';

/** The largest side of a stored picture, in pixels. */
const largestSide = 1_600;

/** Bytes of drawn pictures that are kept in memory: about 300 cards of the marketplace. */
const kept = 8 * 1024 ** 2;

/** `waitingOfOne`: more than the pictures of a page. */
const limits = { atOnce: 1, waiting: 200, waitingOfOne: 60 };

/** For how long a picture may be drawn. The largest that is accepted needs a few seconds. */
const patience = { renew: 20 * second, sized: 5 * second };

/** For how long a visitor waits. Then the stored picture is sent, and the other one is drawn for the next visitor. */
const waitingOfVisitor = 2 * second;

/** Pictures that could not be drawn are not tried again for this time. */
const failures = { max: 1_000, ttl: hour };

interface PicturePorts {
  readonly render: Render;
  /** The folder for files that are not stored. What a killed process leaves there is deleted later. */
  readonly staging: string;
  readonly withLocalFile: WithLocalFile;
}

export function createPictures({ render, staging, withLocalFile }: PicturePorts): Pictures {
  const inTurn = createFairQueue<string>(limits);
  const drawn = new LRUCache<string, Buffer, { key: string; form: PictureForm; caller: string }>({
    maxSize: kept,
    sizeCalculation: ({ length }) => Math.max(1, length),
    ignoreFetchAbort: true,
    fetchMethod: (_name, _old, { context: { key, form, caller } }) => inTurn(caller, () => draw(key, form)),
  });
  const failed = new LRUCache<string, true>(failures);
  let isMissing = false;

  async function draw(key: string, { width, type }: PictureForm): Promise<Buffer | undefined> {
    // It may have failed since this one waits.
    if (failed.has(key)) return undefined;
    const to = join(staging, randomUUID());
    try {
      const result = await withLocalFile(key, (from) => render({ from, to, type, width }, patience.sized));
      isMissing = result === 'not_installed';
      if (typeof result === 'object' && 'size' in result) return await readFile(to);
      if (!isMissing) failed.set(key, true);
      return undefined;
    } catch (error) {
      failed.set(key, true);
      throw error;
    } finally {
      await rm(to, { force: true });
    }
  }

  return {
    async renew(path, kind, caller, stop) {
      const to = `${path}.new`;
      try {
        const side = { width: largestSide, height: largestSide };
        const result = await inTurn(
          caller,
          () => render({ from: path, to, type: kind, ...side }, patience.renew),
          stop,
        );
        if (result === 'not_installed') return undefined;
        if ('fault' in result) return { fault: 'It is damaged: save it again in a program that edits images.' };
        await rename(to, path);
        return result;
      } finally {
        await rm(to, { force: true });
      }
    },

    async small(path, largest, caller) {
      const to = join(staging, randomUUID());
      try {
        const job = { from: path, to, type: 'webp', ...largest } as const;
        const result = await inTurn(caller, () => render(job, patience.renew));
        return typeof result === 'object' && 'size' in result ? await readFile(to) : undefined;
      } finally {
        await rm(to, { force: true });
      }
    },

    async sized(key, form, caller) {
      if (isMissing) return 'not_installed';
      if (failed.has(key)) return undefined;
      const name = `${key} ${form.width} ${form.type}`;
      // Whatever goes wrong, the stored picture is there.
      const drawing = drawn.fetch(name, { context: { key, form, caller } }).catch(() => undefined);
      const end = new AbortController();
      const late = setTimeout(waitingOfVisitor, undefined, { signal: end.signal }).catch(() => undefined);
      const picture = await Promise.race([drawing, late]);
      end.abort();
      return picture ?? (isMissing ? 'not_installed' : undefined);
    },
  };
}
