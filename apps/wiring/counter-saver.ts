import type { Logger } from 'pino';
import type { CounterArchive } from '../../adapters/counter-archive.ts';
import type { MemoryRateLimiter } from '../../adapters/limits/memory.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { sharedRun } from '../../core/shared-run.ts';

/** Saves the changed counters of a limiter to the archive. */
export interface CounterSaver {
  /** Saves, or waits for a save that is already running. Failures are logged. */
  save(): Promise<void>;
  /** Waits for a running save, and then saves what has changed since its start. */
  finish(): Promise<void>;
}

export function createCounterSaver(
  limiter: Pick<MemoryRateLimiter, 'changed'>,
  archive: CounterArchive,
  clock: Clock,
  log: Pick<Logger, 'error'>,
): CounterSaver {
  const write = sharedRun(async () => {
    const changed = limiter.changed();
    if (changed.length === 0) return;
    await archive.save(changed, clock.now()).catch((error) => log.error({ err: error }, 'counters not saved'));
  });

  let saving: Promise<void> | undefined;
  function save(): Promise<void> {
    saving = write();
    return saving;
  }

  return {
    save,
    async finish() {
      await saving;
      await save();
    },
  };
}
