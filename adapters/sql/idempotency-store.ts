import type { IdempotencyStore } from '../../core/ports/idempotency-store.ts';
import { refuse } from '../../core/refusal.ts';
import type { Database } from './database.ts';

interface IdempotencyRow {
  readonly key: string;
  readonly fingerprint: string;
  readonly taken_at: number;
  readonly status: number | null;
  readonly body: string | null;
}

export function createSqlIdempotencyStore({ write }: Database): IdempotencyStore {
  return {
    take: (key, fingerprint, { now, forgetBefore, abandonedBefore }) =>
      write(async (trx) => {
        const table = () => trx<IdempotencyRow>('idempotency');
        await table().where('taken_at', '<', forgetBefore).delete();
        await table().where('taken_at', '<', abandonedBefore).whereNull('status').delete();
        const [taken] = await table()
          .insert({ key, fingerprint, taken_at: now })
          .onConflict('key')
          .ignore()
          .returning('key');
        if (taken !== undefined) return undefined;
        const row = await table().where({ key }).first();
        if (row === undefined || row.fingerprint !== fingerprint) return refuse('key_reused');
        if (row.status === null) return refuse('in_flight');
        return { status: row.status, body: row.body ?? '' };
      }),
    keep: (key, { status, body }) =>
      write(async (trx) => {
        await trx<IdempotencyRow>('idempotency').where({ key }).update({ status, body });
      }),
    release: (key) =>
      write(async (trx) => {
        await trx<IdempotencyRow>('idempotency').where({ key }).delete();
      }),
  };
}
