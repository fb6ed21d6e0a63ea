import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import type { WorkKind } from '../../../core/work/work.ts';
import { ringAfter } from '../ring.ts';

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

/**
 * Adds work that is due at some time, or makes work on the same object due sooner. Work that somebody has claimed stays as
 * it is: whoever settles it decides when it is due again.
 */
export async function addWorkFor(
  trx: Knex.Transaction,
  kind: WorkKind,
  subjectId: number,
  due: Instant,
): Promise<void> {
  const isSooner = 'work.attempt = 0 AND work.due > excluded.due';
  await trx('work')
    .insert({ kind, subject_id: subjectId, due, added_at: due })
    .onConflict(['kind', 'subject_id'])
    .merge({
      due: trx.raw(`CASE WHEN ${isSooner} THEN excluded.due ELSE work.due END`),
      added_at: trx.raw(`CASE WHEN ${isSooner} THEN excluded.added_at ELSE work.added_at END`),
    });
  ringAfter(trx);
}

/** The same for work that needs a new attempt even if somebody has claimed it. The claimed attempt does not count then. */
export async function addWorkAnew(
  trx: Knex.Transaction,
  kind: WorkKind,
  subjectId: number,
  due: Instant,
): Promise<void> {
  await trx('work').where({ kind, subject_id: subjectId }).where('attempt', '>', 0).delete();
  await addWorkFor(trx, kind, subjectId, due);
}
