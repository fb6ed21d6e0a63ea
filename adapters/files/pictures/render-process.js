import process from 'node:process';
import sharp from 'sharp';

// A process that draws pictures, one after the other. `render.ts` starts it. It is JavaScript because a process of Node 20
// cannot start with TypeScript. It knows no secrets, and its memory is given back when it ends.

/**
 * @typedef {{ from: string, to: string, type: 'png' | 'jpg' | 'webp' | 'avif', width: number, height?: number }} Job
 * @typedef {{ size: number } | { fault: true }} Drawn
 */

/** Milliseconds without work after which the process ends. */
const idle = 10_000;

/** Bytes. A process that has drawn a very large picture ends, because the memory would stay with it. */
const most = 200 * 1024 ** 2;

sharp.cache(false);
sharp.concurrency(1);

const options = {
  png: {},
  jpg: { quality: 88 },
  webp: { quality: 78 },
  avif: { quality: 55, effort: 2 },
};

let end = setTimeout(process.exit, idle, 0);

process.on('disconnect', () => process.exit(0));
process.on('message', async (/** @type {Job} */ job) => {
  clearTimeout(end);
  const drawn = await draw(job).catch(() => ({ fault: true }));
  process.send?.(drawn, () => {
    if (process.memoryUsage.rss() > most) process.exit(0);
  });
  end = setTimeout(process.exit, idle, 0);
});
process.send?.('ready');

/**
 * @param {Job} job
 * @returns {Promise<Drawn>}
 */
async function draw({ from, to, type, width, height }) {
  const { size } = await sharp(from, { sequentialRead: true, failOn: 'error' })
    .autoOrient()
    .resize({ width, height, fit: 'inside', withoutEnlargement: true })
    .toFormat(type === 'jpg' ? 'jpeg' : type, options[type])
    .toFile(to);
  return { size };
}
