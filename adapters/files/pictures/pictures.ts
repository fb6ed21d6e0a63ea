import { randomUUID } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
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

  async function draw(key: string, { width, type }: PictureForm): Promise<Buffer | undefined> {
    const to = join(staging, randomUUID());
    try {
      const result = await withLocalFile(key, (from) => render({ from, to, type, width }));
      return typeof result === 'object' && 'size' in result ? await readFile(to) : undefined;
    } finally {
      await rm(to, { force: true });
    }
  }

  return {
    async renew(path, kind, caller, stop) {
      const to = `${path}.new`;
      try {
        const side = { width: largestSide, height: largestSide };
        const result = await inTurn(caller, () => render({ from: path, to, type: kind, ...side }), stop);
        if (result === 'not_installed') return undefined;
        if ('fault' in result) return { fault: 'It is damaged: save it again in a program that edits images.' };
        await rename(to, path);
        return result;
      } finally {
        await rm(to, { force: true });
      }
    },

    async sized(key, form, caller) {
      const name = `${key} ${form.width} ${form.type}`;
      // Whatever goes wrong, the stored picture is there.
      return await drawn.fetch(name, { context: { key, form, caller } }).catch(() => undefined);
    },
  };
}
