import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Backlog, WorkQueue } from '../../../core/ports/work-queue.ts';
import type { Settled, Work, WorkKind } from '../../../core/work/work.ts';
import { type Database, isPostgres } from '../database.ts';
import { recordLostChecks } from './lost-checks.ts';
import { recordMails } from './mail-results.ts';

interface WorkRow {
  readonly id: number;
  readonly kind: string;
  readonly subject_id: number;
  readonly attempt: number;
  readonly due: Instant;
  readonly added_at: Instant;
}

/** Stores the results in the objects that the work was about, in the transaction that settles the work. */
const recorders = {
  mail: recordMails,
  // The order itself was changed by the attempt.
  order: async () => {},
  deployment: recordLostChecks,
  // The attempt itself has saved what it found.
  usdc: async () => {},
} satisfies Record<WorkKind, (trx: Knex.Transaction, settled: readonly Settled[]) => Promise<void>>;
const known = Object.keys(recorders) as WorkKind[];

export function createSqlWorkQueue({ read, write }: Database): WorkQueue {
  return {
    async claim({ now, until, most, only, kinds = known }) {
      const wanted = (query: Knex.QueryBuilder<WorkRow>) =>
        // During an upgrade, a newer process adds kinds that this one does not know.
        query
          .where('due', '<=', now)
          .whereIn('kind', [...kinds])
          .modify((due) => {
            if (only !== undefined) due.where({ kind: only.kind, subject_id: only.subjectId });
          });
      // Without this read, an idle process would take SQLite's write lock again and again.
      if ((await read((knex) => wanted(knex<WorkRow>('work')).first('id'))) === undefined) return [];
      const rows = await write(async (trx) => {
        // MATERIALIZED: otherwise Postgres may run the subquery, with its LIMIT, once for each row.
        const picked = wanted(trx<WorkRow>('work').select('id')).orderBy('due').orderBy('id').limit(most);
        if (isPostgres(trx)) picked.forUpdate().skipLocked();
        return await trx<WorkRow>('work')
          .withMaterialized('picked', picked)
          .whereIn('id', trx('picked').select('id'))
          .update({ attempt: trx.raw('attempt + 1'), due: until })
          .returning('*');
      });
      return rows.map(toWork).sort((one, other) => one.id - other.id);
    },

    async settle(settled) {
      await write(async (trx) => {
        const held = await holdAttempts(trx, settled);
        const ended = held.filter(({ outcome: { kind } }) => kind === 'done' || kind === 'failed');
        await trx('work').whereIn('id', idsOf(ended)).delete();
        const backAt = new Map<Instant, Settled[]>();
        for (const one of held) {
          const { outcome, at } = one;
          if (outcome.kind === 'again') backAt.set(outcome.due, [...(backAt.get(outcome.due) ?? []), one]);
          if (outcome.kind === 'later') {
            const { due } = outcome;
            await trx('work').where({ id: one.work.id }).update({ attempt: 0, due, added_at: due });
          }
          if (outcome.kind === 'given back') {
            await trx('work')
              .where({ id: one.work.id })
              .update({ attempt: trx.raw('attempt - 1'), due: at });
          }
        }
        for (const [due, ones] of backAt) await trx('work').whereIn('id', idsOf(ones)).update({ due });
        for (const kind of known)
          await recorders[kind](
            trx,
            held.filter(({ work }) => work.kind === kind),
          );
      });
    },

    async backlog(now) {
      const rows: { kind: string; count: number | string; oldest: number }[] = await read((knex) =>
        knex('work')
          .where('added_at', '<=', now)
          .select('kind')
          .count({ count: '*' })
          .min({ oldest: 'added_at' })
          .groupBy('kind'),
      );
      const of = (kind: WorkKind): Backlog => {
        const row = rows.find((one) => one.kind === kind);
        return { count: Number(row?.count ?? 0), oldest: row?.oldest ?? null };
      };
      return { mail: of('mail'), order: of('order'), deployment: of('deployment'), usdc: of('usdc') };
    },
  };
}

/** Locks the rows of the attempts, and returns the attempts that nobody has claimed again. */
async function holdAttempts(trx: Knex.Transaction, settled: readonly Settled[]): Promise<Settled[]> {
  const rows: Pick<WorkRow, 'id' | 'attempt'>[] = await trx<WorkRow>('work')
    .whereIn('id', idsOf(settled))
    .orderBy('id')
    .forUpdate()
    .select('id', 'attempt');
  const current = new Map(rows.map(({ id, attempt }) => [Number(id), attempt]));
  return settled.filter(({ work }) => current.get(work.id) === work.attempt);
}

function idsOf(settled: readonly Settled[]): number[] {
  return settled.map(({ work }) => work.id);
}

function toWork({ id, kind, subject_id, attempt }: WorkRow): Work {
  return { id: Number(id), kind: kind as WorkKind, subjectId: Number(subject_id), attempt };
}
