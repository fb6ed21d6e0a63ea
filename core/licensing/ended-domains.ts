import type { Clock } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';

/** The rows that one transaction removes. */
const atOnce = 200;

/** Removes the hosts that were moved away and have ended, in short transactions. Returns their number. */
export async function removeEnded(
  store: Pick<LicenseStore, 'removeEnded'>,
  clock: Clock,
  goOn: () => boolean,
): Promise<number> {
  const now = clock.now();
  let all = 0;
  while (goOn()) {
    const removed = await store.removeEnded(now, atOnce);
    all += removed;
    if (removed < atOnce) break;
  }
  return all;
}
