import { repeat } from '../../adapters/repeat.ts';
import { removeEnded } from '../../core/licensing/ended-domains.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { soon } from './soon.ts';

const every = 5 * 60_000;

/**
 * Removes the domains that were moved away and have ended, now and every 5 minutes. They are invalid already. Returns a
 * function that stops this.
 */
export async function removeEndedDomains(parts: Parts): Promise<() => Promise<void>> {
  const [log, store, clock] = [await parts.get(t.log), await parts.get(t.licenseStore), await parts.get(t.clock)];
  let isStopping = false;
  const remove = async () => {
    try {
      const domains = await removeEnded(store, clock, () => !isStopping);
      if (domains > 0) log.info({ domains }, 'domains removed that were moved');
    } catch (error) {
      if (!isStopping) log.error({ err: error }, 'domains that were moved could not be removed');
    }
  };
  const removing = repeat(remove, every);
  removing.now();
  return async () => {
    isStopping = true;
    await soon(removing.stop());
  };
}
