import { randomUUID } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { hour, second } from '../../../core/time.ts';
import type { Pictures } from '../../contracts/pictures.ts';
import { createFairQueue } from '../../queue.ts';
import type { WithLocalFile } from '../local-copies.ts';
import type { Render } from './render.ts';
import type { Job } from './render-process.js';

/** The largest side of a stored picture, in pixels. */
const largestSide = 1_600;

/** Bytes of drawn pictures that are kept in memory: about 300 cards of the marketplace, and 40 pictures for other sites. */
const keptBytes = { sized: 8 * 1024 ** 2, shared: 2 * 1024 ** 2 };

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

/** A picture that is drawn if it is not kept. */
interface Drawing {
  /** The stored picture that it shows. */
  readonly key: string | undefined;
  readonly make: (from: string | undefined, to: string) => Job;
  /** Under this name it is not tried again if it fails. */
  readonly failsAs: string;
  readonly caller: string;
}

export function createPictures({ render, staging, withLocalFile }: PicturePorts): Pictures {
  const inTurn = createFairQueue<string>(limits);
  const keep = (maxSize: number) =>
    new LRUCache<string, Buffer, Drawing>({
      maxSize,
      sizeCalculation: ({ length }) => Math.max(1, length),
      ignoreFetchAbort: true,
      fetchMethod: (_name, _old, { context }) => inTurn(context.caller, () => draw(context)),
    });
  // Two, so that visitors of neither kind push out the pictures of the other.
  const drawn = { sized: keep(keptBytes.sized), shared: keep(keptBytes.shared) };
  const failed = new LRUCache<string, true>(failures);
  let isMissing = false;
  let hasNoFont = false;

  async function draw({ key, make, failsAs }: Drawing): Promise<Buffer | undefined> {
    // It may have failed since this one waits.
    if (failed.has(failsAs)) return undefined;
    const to = join(staging, randomUUID());
    const job = (from?: string) => render(make(from, to), patience.sized);
    try {
      const result = await (key === undefined ? job() : withLocalFile(key, job));
      isMissing = result === 'not_installed';
      hasNoFont ||= result === 'no_font';
      if (typeof result === 'object' && 'size' in result) return await readFile(to);
      if (!isMissing) failed.set(failsAs, true);
      return undefined;
    } catch (error) {
      failed.set(failsAs, true);
      throw error;
    } finally {
      await rm(to, { force: true });
    }
  }

  /** Returns a picture that is kept, or draws it. Waits only for a while. */
  async function kept(
    kind: keyof typeof drawn,
    name: string,
    context: Drawing,
  ): Promise<Buffer | 'not_installed' | undefined> {
    if (isMissing) return 'not_installed';
    if (failed.has(context.failsAs)) return undefined;
    // Whatever goes wrong, the stored picture is there.
    const drawing = drawn[kind].fetch(name, { context }).catch(() => undefined);
    const end = new AbortController();
    const late = setTimeout(waitingOfVisitor, undefined, { signal: end.signal }).catch(() => undefined);
    const picture = await Promise.race([drawing, late]);
    end.abort();
    return picture ?? (isMissing ? 'not_installed' : undefined);
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
        if (typeof result === 'string') return undefined;
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
        const job = { from: path, to, type: 'png', ...largest, fewColors: true } as const;
        const result = await inTurn(caller, () => render(job, patience.renew));
        return typeof result === 'object' && 'size' in result ? await readFile(to) : undefined;
      } finally {
        await rm(to, { force: true });
      }
    },

    sized(key, form, caller) {
      const make = (from = '', to: string) => ({ from, to, ...form });
      return kept('sized', `${key} ${form.width} ${form.type}`, { key, make, failsAs: key, caller });
    },

    async shared(card, key, caller) {
      if (hasNoFont) return 'not_installed';
      const name = `${key ?? ''} ${JSON.stringify(card)}`;
      const make = (from: string | undefined, to: string) => ({ from, to, card });
      const picture = await kept('shared', name, { key, make, failsAs: name, caller });
      if (hasNoFont) return 'not_installed';
      return picture ?? (failed.has(name) ? 'failed' : undefined);
    },
  };
}
