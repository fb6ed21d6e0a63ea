import type { Database } from '../adapters/sql/database.ts';
import type { Parts } from './compose.ts';
import type { Config } from './config.ts';
import { t } from './tokens.ts';

/** How the sessions of the database server are used, for the log; `undefined` if there is no server. */
export async function connectionsOf({ DATABASE_URL }: Config, parts: Parts): Promise<Database['connections']> {
  return DATABASE_URL.kind === 'postgres' ? (await parts.get(t.database)).connections : undefined;
}
