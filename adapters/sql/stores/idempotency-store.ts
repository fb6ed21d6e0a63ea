import type { Knex } from 'knex';
import type { KeyedRequest } from '../../../core/events/event.ts';
import { refuse } from '../../../core/refusal.ts';
import type { IdempotencyStore } from '../../contracts/idempotency-store.ts';
import type { Database } from '../database.ts';
import {
  forgetKeyed,
  freeAbandoned,
  freeKey,
  hasChanged,
  isImporting,
  type KeyedRow,
  keyedRows,
  statuses,
} from '../keyed-requests.ts';

export function createSqlIdempotencyStore({ write }: Database): IdempotencyStore {
  /** Changes the row, and returns true, if the claim is still valid. */
  const change = ({ key, owner }: KeyedRequest, act: (row: Knex.QueryBuilder<KeyedRow>) => PromiseLike<number>) =>
    write(async (trx) => (await act(trx<KeyedRow>(keyedRows).where({ key, owner }))) > 0);

  const isHeld = async (trx: Knex.Transaction, { key, owner }: KeyedRequest) =>
    (await trx<KeyedRow>(keyedRows).where({ key, owner }).first('key')) !== undefined;

  return {
    take: ({ key, owner }, fingerprint, { now, forgetBefore, abandonedBefore }) =>
      write(async (trx) => {
        const table = () => trx<KeyedRow>(keyedRows);
        await forgetKeyed(trx, key, now, forgetBefore);
        await freeAbandoned(trx, abandonedBefore);
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
          if (row.status !== null && row.status !== statuses.unknown) return { kind: 'known', body: row.body ?? '' };
          if (await isImporting(trx, row)) return refuse('in_flight');
          const isOver = row.status !== null || (row.taken_at < abandonedBefore && (await hasChanged(trx, row.owner)));
          return isOver ? { kind: 'unknown' } : refuse('in_flight');
        }
      }),
    renew: (claim, now) => change(claim, (row) => row.whereNull('status').update({ taken_at: now })),
    keep: (claim, answer) =>
      answer.kind === 'known'
        ? change(claim, (row) => row.update({ status: statuses.known, body: answer.body }))
        : write(async (trx) => {
            const { key, owner } = claim;
            const row = trx<KeyedRow>(keyedRows).where({ key, owner }).whereNull('status');
            return (await row.update({ status: statuses.unknown, body: '{}' })) > 0 || (await isHeld(trx, claim));
          }),
    release: (claim, isRepeatable = false) =>
      write(async (trx) => {
        if (!isRepeatable && (await hasChanged(trx, claim.owner)) && (await isHeld(trx, claim))) return 'changed';
        return (await freeKey(trx, claim)) ? 'freed' : 'lost';
      }),
  };
}
