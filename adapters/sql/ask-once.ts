import pg from 'pg';

/** Runs the work on a new connection, then closes it. `patience` limits connecting and each answer, in milliseconds. */
export async function askOnce<T>(
  settings: pg.ClientConfig,
  patience: number,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...settings, connectionTimeoutMillis: patience, query_timeout: patience });
  client.on('error', () => undefined); // The statement throws the same error.
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.end().catch(() => undefined);
  }
}
