import type { CounterArchive } from '../../core/ports/counter-archive.ts';
import type { Database } from './database.ts';

export function createSqlCounterArchive({ read, write }: Database): CounterArchive {
  return {
    async load(now) {
      const rows = await read((knex) => knex('counters').where('reset_at', '>', now));
      return rows.map(({ id, used, reset_at }) => ({ id, used, resetAt: reset_at }));
    },
    save: (counters, now) =>
      write(async (trx) => {
        for (const { id, used, resetAt } of counters) {
          await trx('counters').insert({ id, used, reset_at: resetAt }).onConflict('id').merge();
        }
        await trx('counters').where('reset_at', '<=', now).delete();
      }),
  };
}
