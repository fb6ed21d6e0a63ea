import type { Container } from 'inversify';
import type { Database } from '../../../adapters/sql/database.ts';
import type { Opening } from '../../../adapters/sql/no-database.ts';
import { type PostgresOptions, placeOf } from '../../../adapters/sql/postgres/connection.ts';
import { openPostgres } from '../../../adapters/sql/postgres/database.ts';
import { openReplica, type ReplicaState } from '../../../adapters/sql/postgres/replica.ts';
import { openPostgresVerifier } from '../../../adapters/sql/postgres/verifier.ts';
import { ringingDatabase } from '../../../adapters/sql/ring.ts';
import { workBell } from '../bell.ts';
import { writes } from '../briefly.ts';
import * as chosen from '../chosen.ts';
import { bindVerifier, observedDatabase } from '../observed.ts';
import { bind, give, type Part, part } from '../part.ts';
import { unreachable } from '../unreachable-database.ts';
import { instruments } from './observing.ts';

/** Chooses a database on a Postgres server, with a replica or without. */
export function onPostgres(container: Container, options: PostgresOptions, replicaUrl: string, opening: Opening): void {
  const primary = part(
    async ({ instruments, writes, bell }) => {
      const database = await openPostgres(options, opening).catch((error: unknown) => {
        throw unreachable(error, placeOf(options).server) ?? error;
      });
      instruments.watchPool(database.pool);
      instruments.watchSnapshots(database.oldestSnapshot);
      return ringingDatabase(observedDatabase(database, instruments, writes), bell.ring);
    },
    { instruments, writes, bell: workBell },
    (database) => database.close(),
  );
  bindVerifier(container, primary, (_database, observe) => openPostgresVerifier(options, observe));
  if (replicaUrl === '') {
    bind(container, chosen.database, ({ primary }) => primary, { primary });
    give(container, chosen.databaseWarnings, {});
  } else withReplica(container, primary, { ...options, url: replicaUrl });
}

/** If the replica is further behind than this, the primary is read instead. In milliseconds. */
const maxLag = 5_000;

const messages = {
  used: 'The replica is used again.',
  behind: 'The replica is too far behind: lists and status are read from the primary.',
  down: 'The replica cannot be used: lists and status are read from the primary.',
} as const satisfies Record<ReplicaState, string>;

/**
 * Uses a replica for reads that may be some seconds old. The service also starts and runs while the replica is
 * unreachable.
 */
function withReplica(container: Container, primary: Part<Database>, options: PostgresOptions): void {
  bind(
    container,
    chosen.replica,
    async ({ primary, instruments, log }) => {
      const opened = await openReplica(primary, options, {
        maxLag,
        changed: (state, err) => log[state === 'used' ? 'info' : 'warn']({ replica: state, err }, messages[state]),
        answered: instruments.replicaRead,
      });
      instruments.watchReplica(() => ({ isUsed: opened.state() === 'used', lag: opened.lag() }));
      return opened;
    },
    { primary, instruments, log: chosen.log },
    (opened) => opened.close(),
  );
  bind(container, chosen.database, ({ primary, replica }) => ({ ...primary, readStale: replica.read }), {
    primary,
    replica: chosen.replica,
  });
  bind(
    container,
    chosen.databaseWarnings,
    ({ replica }) => ({
      replica: async () => {
        if (replica.state() !== 'used') throw new Error('The primary is read instead of the replica.');
      },
    }),
    { replica: chosen.replica },
  );
}
