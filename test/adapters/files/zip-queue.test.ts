import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createFileInspection } from '../../../adapters/files/inspection/inspection.ts';
import { defaultLimits } from '../../../adapters/files/inspection/limits.ts';
import type { Pieces } from '../../../adapters/files/inspection/pieces.ts';
import { createZipInspection } from '../../../adapters/files/inspection/zip.ts';
import type { Abort } from '../../../core/abort.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { deferred } from '../../support/deferred.ts';
import { itLong } from '../../support/required-service.ts';
import { jpgOf, pngOf, zipOf } from '../../support/samples.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const contentOf = (size: number) => [{ name: 'a', content: Buffer.alloc(size), compress: false }];
/** The start of the only entry's content, after its header and name. */
const contentAt = 30 + 1;

/** A zip in memory. Its content can be read only when the gate is open. */
function gated(zip: Buffer, stop?: AbortSignal) {
  const gate = deferred<void>();
  const reached = deferred<void>();
  const file: Pieces = {
    size: zip.length,
    stop,
    async read(position, length) {
      stop?.throwIfAborted();
      if (position === contentAt) {
        reached.resolve();
        await gate.promise;
        stop?.throwIfAborted();
      }
      return zip.subarray(position, position + length);
    },
  };
  return { file, reached: reached.promise, open: gate.resolve };
}

/** Resolves when `count` zips are being unpacked. */
async function firstOf(count: number, zips: readonly { readonly reached: Promise<void> }[]): Promise<void> {
  const enough = deferred<void>();
  let reached = 0;
  for (const zip of zips) {
    void zip.reached.then(() => {
      reached += 1;
      if (reached === count) enough.resolve();
    });
  }
  await enough.promise;
}

/** An abort signal that is set at its nth check. */
function abortedAt(nth: number): Abort & { readonly asked: () => number } {
  const reason = new Error('gone');
  let asked = 0;
  return {
    reason,
    aborted: false,
    throwIfAborted() {
      asked += 1;
      if (asked >= nth) throw reason;
    },
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    asked: () => asked,
  };
}

describe('the inspection of zips', () => {
  const limits = { ...defaultLimits, largeZip: 1000, zipsWaiting: 2 };
  let large: Buffer;
  let small: Buffer;
  before(async () => {
    large = await zipOf(contentOf(1000));
    small = await zipOf(contentOf(999));
  });

  it('returns results for small zips while large ones are being unpacked or are waiting', async () => {
    const inspect = createZipInspection(limits);
    const zips = Array.from({ length: 4 }, () => gated(large));
    const answers = zips.map(({ file }) => inspect(file));
    // It may be any two, because another zip can overtake one that yields to other work.
    await firstOf(2, zips);
    const honest = gated(small);
    honest.open();
    expect(await inspect(honest.file)).to.equal(undefined);
    for (const { open } of zips) open();
    expect(await Promise.all(answers)).to.deep.equal([undefined, undefined, undefined, undefined]);
  });

  it('throws Unavailable if too many large zips are waiting, and accepts more when some are done', async () => {
    const inspect = createZipInspection({ ...limits, zipsWaiting: 1 });
    const zips = Array.from({ length: 4 }, () => gated(large));
    const refused = deferred<unknown>();
    const answers = zips.map(({ file }) => inspect(file).catch(refused.resolve));
    expect(await refused.promise).to.be.instanceOf(Unavailable);
    for (const { open } of zips) open();
    await Promise.all(answers);
    expect(await inspect(gatedOpen(large))).to.equal(undefined);
  });

  it('removes a waiting zip when it is aborted, and then accepts another', async () => {
    const inspect = createZipInspection({ ...limits, zipsWaiting: 1 });
    const busy = [gated(large), gated(large)];
    const answers = busy.map(({ file }) => inspect(file));
    await Promise.all(busy.map(({ reached }) => reached));
    const gone = new AbortController();
    const waiting = inspect(gated(large, gone.signal).file).catch((error) => error);
    gone.abort(new Error('gone'));
    expect(await waiting).to.have.property('message', 'gone');
    const next = inspect(gatedOpen(large));
    for (const { open } of busy) open();
    expect(await Promise.all([...answers, next])).to.deep.equal([undefined, undefined, undefined]);
  });

  function gatedOpen(zip: Buffer): Pieces {
    const { file, open } = gated(zip);
    open();
    return file;
  }
});

describe('an inspection that is aborted', () => {
  itLong(
    'stops at the next piece of the file or of the unpacked data, and throws the reason of the signal',
    async () => {
      const folder = await makeTemporaryFolder();
      try {
        const inspection = createFileInspection();
        const files = {
          stored: await zipOf(contentOf(300_000)),
          // A few compressed kilobytes, which unpack to more than 60 pieces.
          deflated: await zipOf([
            { name: 'a', content: Buffer.concat([randomBytes(10_000), Buffer.alloc(64 * 65_536)]) },
          ]),
          many: await zipOf(Array.from({ length: 50 }, (_, index) => ({ name: `${index}`, content: 'small' }))),
          png: pngOf(640, 480),
          jpg: jpgOf(640, 480),
        };
        for (const [name, content] of Object.entries(files)) {
          const path = folder.file(name);
          await writeFile(path, content);
          const never = abortedAt(Number.POSITIVE_INFINITY);
          await inspection.inspect(path, never);
          const all = never.asked();
          if (name === 'deflated') expect(all).to.be.greaterThan(60);
          for (let nth = 1; nth <= all; nth += Math.ceil(all / 20)) {
            const error = await inspection.inspect(path, abortedAt(nth)).catch((thrown) => thrown);
            expect(error, `${name} at ${nth} of ${all}`).to.have.property('message', 'gone');
          }
        }
      } finally {
        await folder.remove();
      }
    },
  );
});
