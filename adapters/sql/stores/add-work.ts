import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import type { WorkKind } from '../../../core/work/work.ts';
import { ringAfter } from './ring.ts';

/** Adds work that is due at once, in the transaction of the change that needs it. */
export async function addWork(
  trx: Knex.Transaction,
  kind: WorkKind,
  subjectIds: readonly number[],
  now: Instant,
): Promise<void> {
  await trx('work').insert(subjectIds.map((id) => ({ kind, subject_id: id, due: now, added_at: now })));
  ringAfter(trx);
}
