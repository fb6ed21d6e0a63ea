import type { Clock } from '../ports/clock.ts';
import type { UsageSnapshots } from '../ports/usage-figures.ts';
import { minute } from '../time.ts';
import { startOf } from './usage-hours.ts';

/** If a process stops in the middle of a run, others wait this long before they take over. In milliseconds. */
const lease = minute;

/**
 * Fills the hours that have ended since the last snapshot. Every process may call this at any time: one of them does the
 * work. `not due` means that these hours are filled, or that another process fills them. Stops early if `goOn` returns
 * false; a later call does the rest.
 */
export async function takeSnapshot(
  snapshots: UsageSnapshots,
  clock: Clock,
  goOn: () => boolean = () => true,
): Promise<'not due' | 'taken' | 'stopped' | 'lost'> {
  const run = await snapshots.claim(startOf('hour', clock.now()), lease);
  if (run === undefined) return 'not due';
  for (;;) {
    if (!goOn()) return 'stopped';
    const step = await run.next();
    if (step === 'lost') return 'lost';
    if (step === 'done') break;
  }
  await run.finish();
  return 'taken';
}
