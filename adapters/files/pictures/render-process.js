import { access, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { cardSize, cardSvg, coverHeight } from './share-card-process.js';

// A process that draws pictures, one after the other. `render.ts` starts it. It is JavaScript because a process of Node 20
// cannot start with TypeScript. It knows no secrets, and its memory is given back when it ends.

/**
 * @typedef {{ from: string, to: string, type: 'png' | 'jpg' | 'webp' | 'avif', width: number, height?: number, fewColors?: boolean }} Resize
 * @typedef {{ from: string | undefined, to: string, card: import('./share-card-process.js').ShareCard }} Share
 * @typedef {Resize | Share} Job
 * @typedef {{ size: number } | { fault: true } | { failed: string } | 'no_font'} Drawn `fault`: the picture cannot be read. `no_font`: a package that texts need is not installed. `failed`: anything else.
 */

/** Milliseconds without work after which the process ends. */
const idle = 10_000;

/** Bytes. A process that has drawn a very large picture ends, because the memory would stay with it. */
const most = 200 * 1024 ** 2;

const options = {
  png: {},
  jpg: { quality: 88 },
  webp: { quality: 78 },
  avif: { quality: 55, effort: 2 },
};

const sharp = await load();
process.on('disconnect', () => process.exit(0));
let end = setTimeout(process.exit, idle, 0);
if (sharp === undefined) process.send?.('not_installed', () => process.exit(0));
else {
  sharp.cache(false);
  sharp.concurrency(1);
  process.on('message', async (/** @type {Job} */ job) => {
    clearTimeout(end);
    const drawn = await draw(job).catch((error) => ({ failed: String(error) }));
    process.send?.(drawn, () => {
      if (process.memoryUsage.rss() > most) process.exit(0);
    });
    end = setTimeout(process.exit, idle, 0);
  });
  process.send?.('ready');
}

/** Returns the package. `undefined` if it, or its binary for this machine, is not there. */
async function load() {
  try {
    return (await import('sharp')).default;
  } catch (error) {
    const text = String(error);
    if (text.includes('Cannot find package') || text.includes('Could not load the "sharp" module')) return undefined;
    throw error;
  }
}

/** Returns the package, where it is needed. */
function drawing() {
  if (sharp === undefined) throw new Error('No picture can be drawn.');
  return sharp;
}

/**
 * @param {Job} job
 * @returns {Promise<Drawn>}
 */
async function draw(job) {
  if (job.from !== undefined) await access(job.from);
  const bytes = await ('card' in job ? shareCard(job) : resized(job)).catch((error) =>
    error?.code === 'ERR_MODULE_NOT_FOUND' ? 'no_font' : undefined,
  );
  if (bytes === 'no_font') return bytes;
  if (bytes === undefined) return { fault: true };
  await writeFile(job.to, bytes);
  return { size: bytes.length };
}

/** @param {Resize} job */
async function resized({ from, type, width, height, fewColors }) {
  return await drawing()(from, { sequentialRead: true, failOn: 'error' })
    .autoOrient()
    .resize({ width, height, fit: 'inside', withoutEnlargement: true })
    .toFormat(type === 'jpg' ? 'jpeg' : type, fewColors ? { palette: true } : options[type])
    .toBuffer();
}

/** @param {Share} job */
async function shareCard({ from, card }) {
  const svg = await cardSvg(card, from !== undefined);
  const layers = [{ input: Buffer.from(svg) }];
  if (from !== undefined) {
    const cover = drawing()(from, { sequentialRead: true, failOn: 'error' })
      .autoOrient()
      .resize({ width: cardSize.width, height: coverHeight, fit: 'cover' });
    layers.unshift(Object.assign({ input: await cover.toBuffer() }, { top: 0, left: 0 }));
  }
  const create = { ...cardSize, channels: /** @type {const} */ (3), background: '#fff' };
  return await drawing()({ create }).composite(layers).jpeg({ quality: 85 }).toBuffer();
}
