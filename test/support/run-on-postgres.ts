import pg from 'pg';

/** Runs one statement on a new connection. */
export async function runOnPostgres(
  url: string,
  statement: string,
  values: readonly string[] = [],
): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return await client.query(statement, [...values]).finally(() => client.end());
}
