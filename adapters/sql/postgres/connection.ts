import pg from 'pg';
import { addressesIn } from './url.ts';

/** How to reach a Postgres server. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host/database`, with `sslmode` for TLS. May name several hosts, separated by commas. Then
   * the first host that accepts writes is used.
   */
  readonly url: string;
  /** The maximum number of connections of this process. */
  readonly poolSize: number;
  /** Milliseconds after which the server cancels a statement. */
  readonly statementTimeout: number;
  /** Milliseconds that a batch of verifications waits for a row that another session has locked. The default is 100. */
  readonly lockTimeout?: number;
}

/**
 * Returns the hosts with ports, and the name of the database. The driver reads them from the URL and the environment.
 */
export function placeOf(options: PostgresOptions): { readonly server: string; readonly database: string } {
  const clients = hostsOf(options).map((settings) => new pg.Client(settings));
  const server = clients.map(({ host, port }) => `${host}:${port}`).join(',');
  return { server, database: clients[0]?.database ?? '' };
}

/** Returns the settings of direct connections, one for each host. */
export function hostsOf(options: PostgresOptions): readonly pg.ClientConfig[] {
  return addressesIn(options.url).map((url) => connectionSettings({ ...options, url }));
}

/** Milliseconds that we wait after the server's own limit. Then the statement fails, and the connection counts as dead. */
const grace = 1_000;

/**
 * Settings of all connections. They also detect a server that has disappeared: statements end by the driver's timeout,
 * idle connections by TCP keep-alive (after 15 seconds).
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

/** Parses bigint as number, because counts and times fit. By default, pg returns strings. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === bigint ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser;
