import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import type { Change, ChangeById } from '../../../core/ports/change.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { type Database, isRowId, returned } from '../database.ts';
import { record } from './audit-log.ts';
import { tell } from './tell.ts';

/** A table that keeps each object in one row. */
export interface ObjectTable<T, Row> {
  readonly name: string;
  readonly fromRow: (row: Row) => T;
  readonly toRow: (after: Omit<T, 'id'>) => Omit<Row, 'id'>;
}

/** Writes related rows in the transaction of a change, such as records of unreferenced files. */
type Follow<T> = (trx: Knex.Transaction, before: T, after: T, event: Event) => Promise<void>;

/** Builds the `change` method of a store that keeps each object in one row. */
export function changeRow<Id extends number, T extends { readonly id: Id }, Row>(
  write: Database['write'],
  table: string,
  fromRow: (row: Row) => T,
  toRow: (after: Omit<T, 'id'>) => Omit<Row, 'id'>,
  follow?: Follow<T>,
): ChangeById<Id, T> {
  return (id, decide) => write((trx) => changeIn(trx, { name: table, fromRow, toRow }, id, decide, follow));
}

/** The same inside of a transaction. */
export async function changeIn<Id extends number, T extends { readonly id: Id }, Row, R extends string>(
  trx: Knex.Transaction,
  { name, fromRow, toRow }: ObjectTable<T, Row>,
  id: Id,
  decide: (before: T) => Change<T> | Refused<R>,
  follow?: Follow<T>,
): Promise<T | Refused<R> | undefined> {
  const row: Row | undefined = isRowId(id) ? await trx(name).where({ id }).forUpdate().first() : undefined;
  if (row === undefined) return undefined;
  const before = fromRow(row);
  const decision = decide(before);
  if (isRefused(decision)) return decision;
  const { after, event } = decision;
  if (event === undefined) return before;
  const { id: _, ...rest } = after;
  const rows: Row[] = await trx(name).where({ id }).update(toRow(rest)).returning('*');
  await follow?.(trx, before, after, event);
  await record(trx, [event]);
  await tell(trx, decision);
  return fromRow(returned(rows));
}
