import type { Counter, CounterArchive } from '../../contracts/counter-archive.ts';
import type { Database } from '../database.ts';

/** The maximum number of rows per transaction. It is small so that other writers do not wait long. */
const chunk = 200;

export function createSqlCounterArchive({ read, write }: Database): CounterArchive {
  async function put(counters: readonly Counter[]): Promise<void> {
    const rows = counters.map(({ id, used, resetAt }) => ({ id, used, reset_at: resetAt }));
    await write((trx) => trx('counters').insert(rows).onConflict('id').merge());
  }

  /** Deletes one chunk of counters whose window has ended. Returns the number of deleted rows. */
  function forget(now: number): Promise<number> {
    return write((trx) => {
      const over = trx('counters').select('id').where('reset_at', '<=', now).orderBy('id').limit(chunk).forUpdate();
      return trx('counters').whereIn('id', over).delete();
    });
  }

  return {
    async load(now) {
      const rows = await read((knex) => knex('counters').where('reset_at', '>', now));
      return rows.map(({ id, used, reset_at }) => ({ id, used, resetAt: reset_at }));
    },

    async save(counters, now) {
      // One row for each id, always in the same order. Otherwise two concurrent saves could deadlock.
      const byId = new Map(counters.map((counter) => [counter.id, counter]));
      const sorted = [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
      for (let start = 0; start < sorted.length; start += chunk) await put(sorted.slice(start, start + chunk));
      while ((await forget(now)) === chunk);
    },
  };
}
