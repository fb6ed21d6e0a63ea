import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import type { WorkKind } from '../../../core/work/work.ts';
import type { Database } from '../database.ts';

/** Transactions that added work. */
const withWork = new WeakSet<Knex.Transaction>();

/** Adds work that is due at once, in the transaction of the change that needs it. */
export async function addWork(
  trx: Knex.Transaction,
  kind: WorkKind,
  subjectIds: readonly number[],
  now: Instant,
): Promise<void> {
  await trx('work').insert(subjectIds.map((id) => ({ kind, subject_id: id, due: now, added_at: now })));
  withWork.add(trx);
}

/** Wraps a database: calls `ring` after each commit that added work, so that this process need not wait to notice it. */
export function ringingDatabase<T extends Database>(database: T, ring: () => void): T {
  return {
    ...database,
    async write(work) {
      let last: Knex.Transaction | undefined;
      const result = await database.write((trx) => {
        last = trx;
        return work(trx);
      });
      if (last !== undefined && withWork.has(last)) ring();
      return result;
    },
  };
}
