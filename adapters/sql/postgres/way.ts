import type pg from 'pg';
import { codeOf } from '../../system-error.ts';
import { StatementFailed } from '../statement-failed.ts';

/**
 * How the sessions of the server are used. `direct`: each connection has one of its own, which keeps settings and named statements.
 * `pooled`: a pooler such as PgBouncer is in between, and may give each transaction another one; so nothing is left in it.
 */
export type Way = 'direct' | 'pooled';

/** What to connect with, and how to use such a connection. */
export interface Route {
  readonly settings: pg.ClientConfig;
  readonly way: Way;
}

/** What a connection through a pooler starts with: PgBouncer refuses some parameters, or ignores them. */
export function withoutSessionSettings(settings: pg.ClientConfig): pg.ClientConfig {
  const { statement_timeout: _, idle_in_transaction_session_timeout: __, ...others } = settings;
  return others;
}

/** Whether a pooler refuses a parameter that a connection starts with. */
export function isRefusedParameter(error: unknown): boolean {
  return codeOf(error) === '08P01' && error instanceof Error && error.message.includes('unsupported startup parameter');
}

/** What the server says of the session that a statement of this connection runs in. */
export interface Session {
  readonly process: number;
}

/**
 * Whether a pooler is in between. A pooler gives its clients process numbers of its own, for cancelling. So the process that
 * answers has another number than the connection was told at its start.
 */
export function isBehindPooler(client: object, session: Session | undefined): boolean {
  return !('processID' in client) || client.processID !== session?.process;
}

/** A connection that was made as a direct one leads to a pooler: somebody has put it there since. */
class PoolerFound extends StatementFailed {
  constructor() {
    super('There is a pooler before the server now.', '08006', {});
  }
}

/** Whether this failure says that the direct way is the wrong one. */
export function needsPooledWay(error: unknown): boolean {
  return error instanceof PoolerFound || isRefusedParameter(error);
}

const durable = (scope: 'session' | 'transaction') =>
  `set_config('synchronous_commit', CASE setting WHEN 'off' THEN 'on' ELSE setting END, ${scope === 'transaction'})`;

/**
 * For each new connection of the direct way. Sets its session so that what is answered survives a crash of the server: `off` becomes
 * `on`. Any other value is kept; `local` is as durable on one server. It holds even if the server's own setting changes meanwhile.
 * Runs `settings` there as well. Throws if there is a pooler by now, before anything is set: its sessions are others' too.
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

/** What a transaction of the pooled way that writes runs next: see `beginDirect`. */
export const commitDurably = `SELECT ${durable('transaction')} FROM current_setting('synchronous_commit') AS setting`;
