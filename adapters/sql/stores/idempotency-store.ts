import type { Knex } from 'knex';
import { refuse } from '../../../core/refusal.ts';
import type { Claim, IdempotencyStore, KeptAnswer } from '../../idempotency-store.ts';
import type { Database } from '../database.ts';

interface IdempotencyRow {
  readonly key: string;
  readonly fingerprint: string;
  /** `null` in rows of older versions. */
  readonly owner: string | null;
  readonly taken_at: number;
  readonly status: number | null;
  readonly body: string | null;
}

/** Values of the column `status`, which is `null` until the request ends. Older versions stored HTTP statuses there. */
const statuses = { known: 200, unknown: 503 } as const satisfies Record<KeptAnswer['kind'], number>;

export function createSqlIdempotencyStore({ write }: Database): IdempotencyStore {
  /** Changes the row, and returns true, if the claim is still valid. */
  const change = ({ key, owner }: Claim, act: (row: Knex.QueryBuilder<IdempotencyRow>) => PromiseLike<number>) =>
    write(async (trx) => (await act(trx<IdempotencyRow>('idempotency').where({ key, owner }))) > 0);
  return {
    take: ({ key, owner }, fingerprint, { now, forgetBefore, abandonedBefore }) =>
      write(async (trx) => {
        const table = () => trx<IdempotencyRow>('idempotency');
        await table().where('taken_at', '<', forgetBefore).delete();
        await table().where('taken_at', '<', abandonedBefore).whereNull('status').delete();
        for (;;) {
          const [taken] = await table()
            .insert({ key, fingerprint, owner, taken_at: now })
            .onConflict('key')
            .ignore()
            .returning('key');
          if (taken !== undefined) return undefined;
          const row = await table().where({ key }).first();
          // On Postgres, the owner of the key may have released it between the two statements. Then it is free.
          if (row === undefined) continue;
          if (row.fingerprint !== fingerprint) return refuse('key_reused');
          if (row.status === null) return refuse('in_flight');
          return row.status === statuses.unknown ? { kind: 'unknown' } : { kind: 'known', body: row.body ?? '' };
        }
      }),
    renew: (claim, now) => change(claim, (row) => row.whereNull('status').update({ taken_at: now })),
    keep: (claim, answer) =>
      change(claim, (row) =>
        row.update({ status: statuses[answer.kind], body: answer.kind === 'known' ? answer.body : '{}' }),
      ),
    release: (claim) => change(claim, (row) => row.delete()),
  };
}
