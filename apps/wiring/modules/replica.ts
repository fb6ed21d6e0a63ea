import { ContainerModule } from 'inversify';
import type { PostgresOptions } from '../../../adapters/sql/postgres/connection.ts';
import { openReplica, type ReplicaState } from '../../../adapters/sql/postgres/replica.ts';
import { t } from '../tokens.ts';

/** If the replica is further behind than this, the primary is read instead. In milliseconds. */
const maxLag = 5_000;

const messages = {
  used: 'The replica is used again.',
  behind: 'The replica is too far behind: lists and status are read from the primary.',
  down: 'The replica cannot be used: lists and status are read from the primary.',
} as const satisfies Record<ReplicaState, string>;

/**
 * Postgres with a replica for reads that may be some seconds old. The service also starts and runs while the replica is
 * unreachable.
 */
export const replica = (options: PostgresOptions) =>
  new ContainerModule(({ bind }) => {
    bind(t.replica)
      .toResolvedValue(
        async (primary, instruments, log) => {
          const opened = await openReplica(primary, options, {
            maxLag,
            changed: (state, err) => log[state === 'used' ? 'info' : 'warn']({ replica: state, err }, messages[state]),
            answered: instruments.replicaRead,
          });
          instruments.watchReplica(() => ({ isUsed: opened.state() === 'used', lag: opened.lag() }));
          return opened;
        },
        [t.postgres, t.instruments, t.log],
      )
      .onDeactivation((opened) => opened.close());
    bind(t.database).toResolvedValue((primary, { read }) => ({ ...primary, readStale: read }), [t.postgres, t.replica]);
    bind(t.databaseWarnings).toResolvedValue(
      ({ state }) => ({
        replica: async () => {
          if (state() !== 'used') throw new Error('The primary is read instead of the replica.');
        },
      }),
      [t.replica],
    );
  });

/** Postgres without a replica. */
export const alone = new ContainerModule(({ bind }) => {
  bind(t.database).toResolvedValue((primary) => primary, [t.postgres]);
  bind(t.databaseWarnings).toConstantValue({});
});
