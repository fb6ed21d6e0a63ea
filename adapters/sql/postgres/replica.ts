import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { Unavailable } from '../../../core/unavailable.ts';
import { repeat } from '../../repeat.ts';
import { type Database, returned } from '../database.ts';
import { translate } from '../errors.ts';
import { hostsOf, type PostgresOptions } from './connection.ts';
import { hasRowsOf, identity, type ServerIdentity } from './replica-identity.ts';
import { createReplicaLag } from './replica-lag.ts';
import { openReplicaPool, type ReplicaPool } from './replica-pool.ts';

/**
 * `behind`: its lag is above `maxLag`, or not known yet. `down`: it does not answer, or it does not follow this
 * primary. If it is `behind` or `down`, reads go to the primary.
 */
export type ReplicaState = 'used' | 'behind' | 'down';

/** A replica of a Postgres database, for reads that may be some seconds old. */
export interface Replica {
  readonly read: NonNullable<Database['readStale']>;
  state(): ReplicaState;
  /** The lag at the last check, in milliseconds. */
  lag(): number;
  close(): Promise<void>;
}

/** Settings and callbacks of a replica. */
export interface ReplicaUse {
  /** The largest accepted lag, in milliseconds. */
  readonly maxLag: number;
  /** Called when the state changes, and once if it is not `used` at the start. */
  changed(state: ReplicaState, error?: unknown): void;
  /** Called after each read, with the server that answered it. */
  answered(by: 'replica' | 'primary'): void;
}

/** In milliseconds. `look` is the timeout of one check, `start` the limit of all checks at the start. */
const times = { between: 1_000, look: 1_000, start: 1_000 };

const primaryPosition = `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS position, ${identity}`;
/** The position is null if the server is not a standby. Then it is the primary itself, which has no lag. */
const replicaPosition = `SELECT CASE WHEN pg_is_in_recovery()
  THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 END AS position, ${identity}`;

interface Look extends ServerIdentity {
  readonly position: number | null;
}

const strange = 'The server is neither a standby of the primary nor the primary itself. Was it promoted?';

/**
 * Reads from the replica while it answers and is not too far behind, otherwise from the primary. Checks this every
 * second. If the replica does not answer a check, its connections are closed, so that waiting reads go to the primary.
 * While the primary is unreachable, its last known position counts.
 */
export async function openReplica(
  primary: Pick<Database, 'read'>,
  options: PostgresOptions,
  { maxLag, changed, answered }: ReplicaUse,
): Promise<Replica> {
  const lag = createReplicaLag();
  let pool: ReplicaPool | undefined;
  let watcher: pg.Client | undefined;
  let state: ReplicaState | undefined;
  let told: ReplicaState | undefined;
  let trouble: unknown;
  let main: ServerIdentity | undefined;

  async function sample(): Promise<void> {
    const at = performance.now();
    const asked = primary.read((knex) => knex.raw(primaryPosition).timeout(times.look));
    // The primary may not answer, for example during a failover.
    const { rows } = await asked.catch(() => ({ rows: [] }));
    if (rows.length === 0) return;
    main = rows[0];
    lag.sampled(rows[0].position, at);
  }

  async function look(): Promise<void> {
    try {
      watcher ??= await connect(options);
      const found = returned((await watcher.query<Look>(replicaPosition)).rows);
      if (main && !hasRowsOf(main, found)) throw new Error(strange);
      lag.reached(found.position ?? Number.POSITIVE_INFINITY);
      pool ??= openReplicaPool(options);
      state = lag.isKnown() && lag.lag() <= maxLag ? 'used' : 'behind';
      trouble = undefined;
    } catch (error) {
      watcher?.end().catch(() => undefined);
      watcher = undefined;
      pool?.cut();
      pool = undefined;
      state = 'down';
      trouble = error;
    }
    tell();
  }

  function tell(): void {
    if (told === undefined || told === state || state === undefined) return;
    told = state;
    changed(state, trouble);
  }

  await sample();
  for (const until = performance.now() + times.start; ; ) {
    await look();
    if (state !== 'behind' || performance.now() > until) break;
    await setTimeout(20);
  }
  told = 'used';
  tell();
  const sampling = repeat(sample, times.between);
  const looking = repeat(look, times.between);

  return {
    state: () => state ?? 'down',
    lag: () => lag.lag(),
    async read(work) {
      if (state === 'used' && pool !== undefined) {
        const { knex } = pool;
        try {
          const found = await translate(async () => await work(knex));
          answered('replica');
          return found;
        } catch (error) {
          if (error instanceof Unavailable) looking.now();
        }
      }
      const found = await primary.read(work);
      answered('primary');
      return found;
    },
    async close() {
      await Promise.all([sampling.stop(), looking.stop()]);
      await watcher?.end().catch(() => undefined);
      await pool?.close();
    },
  };
}

async function connect(options: PostgresOptions): Promise<pg.Client> {
  const limits = { connectionTimeoutMillis: times.look, query_timeout: times.look };
  const client = new pg.Client({ ...hostsOf(options)[0], ...limits });
  client.on('error', () => undefined); // The next check throws the same error.
  await client.connect();
  return client;
}
