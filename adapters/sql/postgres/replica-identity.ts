/** Which server of which cluster answers, and as what. */
export interface ServerIdentity {
  /** The cluster, which a standby shares with its primary: Postgres' system identifier. */
  readonly system: string;
  /** When the server was started, in seconds; no two of a cluster share it to the microsecond. */
  readonly started: number;
  readonly is_standby: boolean;
}

/** Columns that tell it. */
export const identity = `
  (SELECT system_identifier::text FROM pg_control_system()) AS system,
  extract(epoch FROM pg_postmaster_start_time())::float8 AS started,
  pg_is_in_recovery() AS is_standby`;

/**
 * Whether a server has the rows of the primary. One that is no standby has them only if it is the primary itself, under another
 * name: a standby that was promoted apart has left the primary's history, and would never be seen to be behind.
 */
export function hasRowsOf(primary: ServerIdentity, server: ServerIdentity): boolean {
  return server.system === primary.system && (server.is_standby || server.started === primary.started);
}
