import type { Database } from '../../adapters/sql/database.ts';
import type { Parts } from '../wiring/compose.ts';
import type { Config } from '../wiring/config.ts';
import { t } from '../wiring/tokens.ts';

/** Returns how connections to Postgres are used, for the log; `undefined` for other databases. */
export async function connectionUse({ DATABASE_URL }: Config, parts: Parts): Promise<Database['connections']> {
  return DATABASE_URL.kind === 'postgres' ? (await parts.get(t.database)).connections : undefined;
}
