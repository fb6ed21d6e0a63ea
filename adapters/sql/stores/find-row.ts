import { builtOnce } from '../built-once.ts';
import { type Database, isRowId } from '../database.ts';

/** Builds the methods of a store that look for one object, in a table that keeps each object in one row. */
export function findRow<T extends { readonly id: number }, Row>(
  read: Database['read'],
  table: string,
  fromRow: (row: Row) => T,
) {
  /** The shape is the column. */
  const firstWith = builtOnce<string, Row | undefined, [number | string]>((knex, column, value) =>
    knex(table).where(column, value).first(),
  );
  const find = async (where: object): Promise<T | undefined> => {
    const [[column, value] = ['', undefined], ...more] = Object.entries(where);
    const isSimple = more.length === 0 && (typeof value === 'number' || typeof value === 'string');
    const row = await read(
      (knex): PromiseLike<Row | undefined> =>
        isSimple ? firstWith(knex, column, value) : knex(table).where(where).first(),
    );
    return row && fromRow(row);
  };
  return {
    findWhere: (where: Readonly<Partial<Row>>) => find(where),
    findById: async (id: T['id']) => (isRowId(id) ? await find({ id }) : undefined),
  };
}
