import { type Database, isRowId } from '../database.ts';

/** Builds the methods of a store that look for one object, in a table that keeps each object in one row. */
export function findRow<T extends { readonly id: number }, Row>(
  read: Database['read'],
  table: string,
  fromRow: (row: Row) => T,
) {
  const find = async (where: object): Promise<T | undefined> => {
    const row: Row | undefined = await read((knex) => knex(table).where(where).first());
    return row && fromRow(row);
  };
  return {
    findWhere: (where: Readonly<Partial<Row>>) => find(where),
    findById: async (id: T['id']) => (isRowId(id) ? await find({ id }) : undefined),
  };
}
