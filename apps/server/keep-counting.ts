import { setTimeout } from 'node:timers/promises';
import { startOf, steps } from '../../core/selling/usage-hours.ts';
import { takeSnapshot } from '../../core/selling/usage-snapshot.ts';
import type { Parts } from '../wiring/compose.ts';
import { servesAccounts } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { soon } from './soon.ts';

/** Milliseconds between two looks for a run that another process has not finished. */
const every = 60_000;
/** A look waits up to this time, at random, so that several processes do not look at the same time. */
const apart = 1_000;

/**
 * Fills the figures of use, now and after each full hour. A license server does not do this. Returns a function that
 * stops it.
 */
export async function keepCounting(parts: Parts): Promise<() => Promise<void>> {
  if (!servesAccounts((await parts.get(t.config)).SURFACE)) return async () => undefined;
  const [log, snapshots, clock] = [await parts.get(t.log), await parts.get(t.usageSnapshots), await parts.get(t.clock)];
  const end = new AbortController();
  let isFailing = false;

  async function look(): Promise<void> {
    const began = performance.now();
    try {
      const result = await takeSnapshot(snapshots, clock, () => !end.signal.aborted);
      if (result === 'taken') log.info({ ms: Math.round(performance.now() - began) }, 'figures of use counted');
      if (result === 'lost') log.warn('another process took over the counting of the figures of use');
      isFailing = false;
    } catch (error) {
      // The next looks fail too, until the database is back.
      if (!isFailing && !end.signal.aborted) log.error({ err: error }, 'the figures of use could not be counted');
      isFailing = true;
    }
  }
  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      await look();
      const now = clock.now();
      const toNextHour = startOf('hour', now) + steps.hour - now;
      const sleep = Math.min(every, toNextHour) + Math.random() * apart;
      await setTimeout(sleep, undefined, { signal: end.signal, ref: false }).catch(() => undefined);
    }
  }
  const ended = run();
  return async () => {
    end.abort();
    await soon(ended);
  };
}
