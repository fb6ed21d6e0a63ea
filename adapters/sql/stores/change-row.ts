import type { Knex } from 'knex';
import type { ChangeById } from '../../../core/ports/change.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { isRefused } from '../../../core/refusal.ts';
import { type Database, isRowId, returned } from '../database.ts';
import { record } from './audit-log.ts';

/**
 * Builds the `change` method of a store that keeps each object in one row. `follow` writes related rows in the same
 * transaction, such as records of unreferenced files. `at` is the time of the change.
 */
export function changeRow<Id extends number, T extends { readonly id: Id }, Row>(
  write: Database['write'],
  table: string,
  fromRow: (row: Row) => T,
  toRow: (after: Omit<T, 'id'>) => Omit<Row, 'id'>,
  follow: (trx: Knex.Transaction, before: T, after: T, at: Instant) => Promise<void> = async () => undefined,
): ChangeById<Id, T> {
  return (id, decide) =>
    write(async (trx) => {
      const row: Row | undefined = isRowId(id) ? await trx(table).where({ id }).forUpdate().first() : undefined;
      if (row === undefined) return undefined;
      const before = fromRow(row);
      const decision = decide(before);
      if (isRefused(decision)) return decision;
      const { after, event } = decision;
      if (event === undefined) return before;
      const { id: _, ...rest } = after;
      const rows: Row[] = await trx(table).where({ id }).update(toRow(rest)).returning('*');
      await follow(trx, before, after, event.at);
      await record(trx, [event]);
      return fromRow(returned(rows));
    });
}
