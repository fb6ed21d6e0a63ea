import type { Logger } from 'pino';
import { repeat } from '../../adapters/repeat.ts';
import type { UsageMeter } from '../../core/accounts/usage-meter.ts';

/** Milliseconds between two saves. If the process is killed, the calls of about this time are lost. */
const every = 1_000;

/** Saves the counts every second, and when it is closed. Logs only the first of several failures in a row. */
export function keepSaving(meter: UsageMeter, log: Pick<Logger, 'error'>): UsageMeter & { close(): Promise<void> } {
  let isFailing = false;
  const save = async () => {
    try {
      await meter.save();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error({ err: error }, 'numbers of calls could not be saved');
      isFailing = true;
    }
  };
  const saving = repeat(save, every);
  return {
    ...meter,
    async close() {
      await saving.stop();
      await save();
    },
  };
}
