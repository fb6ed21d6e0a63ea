import type { Day, DayUse, UsageLog } from '../../../core/ports/usage-log.ts';
import { builtOnce } from '../built-once.ts';
import { type Database, isRowId } from '../database.ts';
import { forgetRows } from '../in-steps.ts';

interface UsageRow {
  readonly user_id: number;
  readonly day: string;
  readonly calls: number;
  readonly refused: number;
}

const daysFrom = builtOnce<'', UsageRow[], [number, string]>((knex, _, userId, first) =>
  knex<UsageRow>('account_usage').where('user_id', userId).andWhere('day', '>=', first).orderBy('day'),
);

export function createSqlUsageLog(database: Database): UsageLog {
  const { read, readStale = read, write } = database;
  return {
    async add(uses) {
      const ids = [...new Set(uses.map(({ userId }) => userId))].filter(isRowId);
      // Always in the same order. Otherwise two concurrent calls could deadlock.
      const rows = [...uses].sort((one, other) => one.userId - other.userId || (one.day < other.day ? -1 : 1));
      if (ids.length === 0) return;
      await write(async (trx) => {
        const known = new Set(await trx('users').whereIn('id', ids).pluck('id'));
        const kept = rows.filter(({ userId }) => known.has(userId));
        if (kept.length === 0) return;
        await trx<UsageRow>('account_usage')
          .insert(kept.map(({ userId, day, calls, refused }) => ({ user_id: userId, day, calls, refused })))
          .onConflict(['user_id', 'day'])
          .merge({
            calls: trx.raw('account_usage.calls + excluded.calls'),
            refused: trx.raw('account_usage.refused + excluded.refused'),
          });
      });
    },

    async days(userId, first) {
      const rows = await readStale((knex) => daysFrom(knex, '', userId, first));
      return rows.map(toDayUse);
    },

    forget: (before) =>
      forgetRows<Pick<UsageRow, 'user_id' | 'day'>>(
        database,
        (knex, most) =>
          knex<UsageRow>('account_usage')
            .select('user_id', 'day')
            .where('day', '<', before)
            .orderBy(['user_id', 'day'])
            .limit(most),
        (trx, old) =>
          trx('account_usage')
            .whereIn(
              ['user_id', 'day'],
              old.map(({ user_id, day }) => [user_id, day]),
            )
            .delete(),
      ),
  };
}

function toDayUse({ day, calls, refused }: UsageRow): DayUse {
  return { day: day as Day, calls, refused };
}
