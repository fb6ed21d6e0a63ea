import { setTimeout as pause } from 'node:timers/promises';
import { sharedRun } from '../../../core/shared-run.ts';
import { isReadTimeout, unlessLocked } from '../errors.ts';
import { lockTimeout, type Run } from './counts.ts';
import { writeNothing } from './database.ts';

/** Milliseconds. */
const limits = { lock: 2_500, commit: 2_000 };

/** A commit that writes no row: like any other it waits for a standby that it must wait for. */
const commitNothing = "SELECT pg_logical_emit_message(true, 'latchkey', ''::text)";

/** The way to run statements, and whether something could be counted by it. */
export interface Checked {
  readonly run: Run;
  /**
   * Throws if nothing could be written at the moment. Usually it writes nothing; but once a statement had no answer in time, a commit
   * must have succeeded before all counts as well again.
   */
  check(): Promise<void>;
}

export function createCheck(run: Run): Checked {
  let isInDoubt = false;

  const watched: Run = async (statement) => {
    try {
      return await run(statement);
    } catch (error) {
      isInDoubt ||= isReadTimeout(error);
      throw error;
    }
  };

  const commit = sharedRun(async () => {
    await run({ name: 'commit-nothing', text: commitNothing, values: [], timeout: limits.commit });
    isInDoubt = false;
  });

  return {
    run: watched,
    async check() {
      await writeInVain(watched);
      if (isInDoubt) await commit();
    },
  };
}

/** A step of the schema may hold the tables for a moment. */
async function writeInVain(run: Run): Promise<void> {
  const until = performance.now() + limits.lock;
  const ask = () => run({ name: 'write-nothing', text: writeNothing, values: [] });
  while ((await unlessLocked(ask)) === undefined) {
    if (performance.now() > until) await ask();
    await pause(lockTimeout);
  }
}
