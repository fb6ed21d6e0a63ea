import pg from 'pg';
import { addressesIn } from './url.ts';

/** How to reach a Postgres server. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host/database`, with `sslmode` where TLS is wanted. Of several hosts with commas between them, the
   * first that can be written is used.
   */
  readonly url: string;
  /** Connections that this process may hold. */
  readonly poolSize: number;
  /** Milliseconds after which the server breaks a statement off. */
  readonly statementTimeout: number;
  /** Milliseconds that a batch of verifications waits for a row which another session holds; 100 if it is not given. */
  readonly lockTimeout?: number;
}

/** Where a Postgres server is, and the name of the database, as the driver reads them from the address and the environment. */
export function placeOf(options: PostgresOptions): { readonly server: string; readonly database: string } {
  const clients = hostsOf(options).map((settings) => new pg.Client(settings));
  const server = clients.map(({ host, port }) => `${host}:${port}`).join(',');
  return { server, database: clients[0]?.database ?? '' };
}

/** What direct connections to each of the hosts start with. */
export function hostsOf(options: PostgresOptions): readonly pg.ClientConfig[] {
  return addressesIn(options.url).map((url) => connectionSettings({ ...options, url }));
}

/** Milliseconds that a statement may take beyond the server's own limit, until the connection counts as dead. */
const grace = 1_000;

/**
 * What connections of this process start with. A server that is gone without a word answers nothing: a statement ends by the
 * limit of this side, and a connection that is idle by TCP's keep-alive (after 15 seconds).
 */
function connectionSettings({ url, statementTimeout }: PostgresOptions): pg.ClientConfig {
  return {
    connectionString: url,
    statement_timeout: statementTimeout,
    query_timeout: statementTimeout + grace,
    idle_in_transaction_session_timeout: statementTimeout,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'latchkey',
    types: { getTypeParser },
  };
}

const bigint = 20;

/** Counts and times fit a double; pg would give them as texts. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === bigint ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser;
