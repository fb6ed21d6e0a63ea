import type pg from 'pg';
import { codeOf } from '../../system-error.ts';
import { StatementFailed } from '../statement-failed.ts';

/**
 * How sessions of the server are used. `direct`: each connection has its own session, which keeps settings and prepared
 * statements. `pooled`: a pooler such as PgBouncer may give each transaction another session, so sessions must not be
 * changed.
 */
export type Way = 'direct' | 'pooled';

/** The settings of a connection, and how to use it. */
export interface Route {
  readonly settings: pg.ClientConfig;
  readonly way: Way;
}

/** Returns the settings for a connection through a pooler. PgBouncer refuses or ignores some parameters. */
export function withoutSessionSettings(settings: pg.ClientConfig): pg.ClientConfig {
  const { statement_timeout: _, idle_in_transaction_session_timeout: __, ...others } = settings;
  return others;
}

/** Whether a pooler refused a startup parameter. */
export function isRefusedParameter(error: unknown): boolean {
  return codeOf(error) === '08P01' && error instanceof Error && error.message.includes('unsupported startup parameter');
}

/** The session in which the server runs a statement of this connection. */
export interface Session {
  readonly process: number;
}

/**
 * Whether there is a pooler between client and server. A pooler gives its clients its own process ids, for cancelling.
 * So the id of the server process differs from the one that the client got when it connected.
 */
export function isBehindPooler(client: object, session: Session | undefined): boolean {
  return !('processID' in client) || client.processID !== session?.process;
}

/** A direct connection leads to a pooler, which was added after the last search. */
class PoolerFound extends StatementFailed {
  constructor() {
    super('There is now a pooler in front of the server.', '08006', {});
  }
}

/** Whether an error shows that the direct way does not work. */
export function needsPooledWay(error: unknown): boolean {
  return error instanceof PoolerFound || isRefusedParameter(error);
}

const durable = (scope: 'session' | 'transaction') =>
  `set_config('synchronous_commit', CASE setting WHEN 'off' THEN 'on' ELSE setting END, ${scope === 'transaction'})`;

/**
 * Prepares a new direct connection. Changes `synchronous_commit` from `off` to `on`, so that confirmed commits survive
 * a crash of the server. Keeps any other value; `local` is as durable on one server. A later change of the server's own
 * setting has no effect on the session. Also runs `settings`. Throws before it sets anything if there is a pooler,
 * because other clients use its sessions too.
 */
export async function beginDirect(client: pg.ClientBase, settings = ''): Promise<void> {
  const { rows } = await client.query<Session>('SELECT pg_backend_pid() AS process');
  if (isBehindPooler(client, rows[0])) throw new PoolerFound();
  await client.query(`${settings}; SELECT ${durable('session')} FROM current_setting('synchronous_commit') AS setting`);
}

/** The first statement of each transaction of the pooled way. `statementTimeout` in milliseconds. */
export function limitTransaction(statementTimeout: number): string {
  return `SET LOCAL statement_timeout = ${statementTimeout};
    SET LOCAL idle_in_transaction_session_timeout = ${statementTimeout}`;
}

/** The second statement of each writing transaction of the pooled way: see `beginDirect`. */
export const commitDurably = `SELECT ${durable('transaction')} FROM current_setting('synchronous_commit') AS setting`;
