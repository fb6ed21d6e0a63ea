import { fileURLToPath } from 'node:url';
import { createJobProcess } from '../../job-process.ts';
import type { Drawn, Job } from './render-process.js';

const program = fileURLToPath(new URL('./render-process.js', import.meta.url));

/** The size of a drawn picture, or that the picture cannot be read, or that a package for it is not installed. */
export type Rendered = Exclude<Drawn, { failed: string }> | 'not_installed';

/** What fails if a package is not installed: all pictures, or only texts in pictures. */
export type Missing = 'pictures' | 'texts';

/** Draws a picture. Throws `Unavailable` if it cannot, or takes longer than `patience` (milliseconds). */
export type Render = (job: Job, patience: number) => Promise<Rendered>;

/**
 * Draws in a process of its own: decoders of pictures take much memory, and have had holes. Only one call may run at a time.
 * `whenMissing` is called once for each kind of work for which a package is not installed.
 */
export function createRender(whenMissing: (what: Missing) => void = () => undefined): Render {
  const run = createJobProcess<Job, Drawn>({
    program,
    memory: 64,
    failure: 'The picture cannot be drawn now.',
    whenMissing: () => whenMissing('pictures'),
  });
  let hasNoFont = false;
  return async (job, patience) => {
    const drawn = await run(job, patience);
    if (drawn === 'no_font' && !hasNoFont) {
      hasNoFont = true;
      whenMissing('texts');
    }
    return drawn;
  };
}
