import pg from 'pg';

/** Works on a connection of its own. `patience`: milliseconds for connecting, and for each answer. */
export async function askOnce<T>(
  settings: pg.ClientConfig,
  patience: number,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...settings, connectionTimeoutMillis: patience, query_timeout: patience });
  client.on('error', () => undefined); // What breaks is thrown by the statement as well.
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.end().catch(() => undefined);
  }
}
