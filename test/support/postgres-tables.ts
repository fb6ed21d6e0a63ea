import type { Knex } from 'knex';

/** Returns the names of the tables of this schema of Postgres, not of those that other tests use at the same time. */
export async function tablesOfSchema(knex: Knex): Promise<string[]> {
  return await knex('pg_tables').whereRaw('schemaname = current_schema()').pluck('tablename');
}
