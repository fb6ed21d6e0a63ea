/** Identifies a server of a cluster, and its role. */
export interface ServerIdentity {
  /** The system identifier of Postgres. A standby has the same one as its primary. */
  readonly system: string;
  /**
   * Start time of the server, in seconds. It differs for each server of a cluster, because it is exact to the
   * microsecond.
   */
  readonly started: number;
  readonly is_standby: boolean;
}

/** Columns of a `ServerIdentity`, for a SELECT. */
export const identity = `
  (SELECT system_identifier::text FROM pg_control_system()) AS system,
  extract(epoch FROM pg_postmaster_start_time())::float8 AS started,
  pg_is_in_recovery() AS is_standby`;

/**
 * Whether a server has the rows of the primary. A server that is not a standby must be the primary itself, under
 * another name. A standby that was promoted separately no longer follows the primary, and its lag would always seem to
 * be 0.
 */
export function hasRowsOf(primary: ServerIdentity, server: ServerIdentity): boolean {
  return server.system === primary.system && (server.is_standby || server.started === primary.started);
}
