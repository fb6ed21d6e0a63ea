import { setTimeout as pause } from 'node:timers/promises';
import { sharedRun } from '../../../core/shared-run.ts';
import { isReadTimeout, unlessLocked } from '../errors.ts';
import { lockTimeout, type Run } from './counts.ts';
import { writeNothing } from './database.ts';

/** In milliseconds. */
const limits = { lock: 2_500, commit: 2_000 };

/** A commit that writes no row. Like any other commit, it waits for synchronous standbys. */
const commitNothing = "SELECT pg_logical_emit_message(true, 'latchkey', ''::text)";

/** Runs statements, and checks whether counting would succeed. */
export interface Checked {
  readonly run: Run;
  /**
   * Throws if a write would fail now. Usually this commits nothing. But after a statement has timed out, it throws
   * until a commit has succeeded.
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
      await tryToWrite(watched);
      if (isInDoubt) await commit();
    },
  };
}

/** Checks that a write is possible. Retries for a while, because a migration may lock the tables for a moment. */
async function tryToWrite(run: Run): Promise<void> {
  const until = performance.now() + limits.lock;
  const ask = () => run({ name: 'write-nothing', text: writeNothing, values: [] });
  while ((await unlessLocked(ask)) === undefined) {
    if (performance.now() > until) await ask();
    await pause(lockTimeout);
  }
}
