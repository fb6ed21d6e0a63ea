import { sweep } from '../core/marketplace/sweep.ts';
import type { Parts } from './compose.ts';
import { t } from './tokens.ts';

const day = 24 * 3_600_000;

/** Takes away files that nothing refers to, now and every day. Answers what ends it. */
export async function keepHouse(parts: Parts): Promise<() => Promise<void>> {
  const [log, disk, references, clock] = [
    await parts.get(t.log),
    await parts.get(t.files),
    await parts.get(t.fileReferences),
    await parts.get(t.clock),
  ];
  const clean = async () => {
    try {
      const deleted = await sweep(disk, references, clock);
      const staged = await disk.sweepStaging(clock.now() - day);
      if (deleted + staged > 0) log.info({ deleted, staged }, 'files swept');
    } catch (error) {
      log.error({ err: error }, 'sweep failed');
    }
  };
  let running = clean();
  const timer = setInterval(() => {
    running = clean();
  }, day).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
