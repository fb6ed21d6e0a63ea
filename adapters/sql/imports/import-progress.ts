import type { ReadImportProgress } from '../../contracts/import-progress.ts';
import type { Database } from '../database.ts';
import { hasChanged, type KeyedRow, keyedRows, statuses } from '../keyed-requests.ts';
import { type ImportRow, table } from './work.ts';

/** The columns of the import are null if no import holds the key. */
type Row = Pick<KeyedRow, 'owner' | 'taken_at' | 'status' | 'body'> & {
  readonly [Name in 'state' | 'staged' | 'added' | 'left_out' | 'passed_over']: ImportRow[Name] | null;
};

export function createSqlImportProgress({ read }: Pick<Database, 'read'>): ReadImportProgress {
  return async (key, { forgetBefore, abandonedBefore }) => {
    const row: Row | undefined = await read((knex) =>
      knex(`${keyedRows} as k`)
        .leftJoin(`${table} as i`, (on) => on.on('i.request_key', 'k.key').on('i.request_owner', 'k.owner'))
        .where('k.key', key)
        .where('k.taken_at', '>=', forgetBefore)
        .first(
          'k.owner',
          'k.taken_at',
          'k.status',
          'k.body',
          'i.state',
          'i.staged',
          'i.added',
          'i.left_out',
          'i.passed_over',
        ),
    );
    if (row === undefined) return undefined;
    const { state, staged, added, left_out: leftOut, passed_over: passedOver } = row;
    if (state !== null) {
      const figures = { lines: staged ?? 0, added: added ?? 0, leftOut: leftOut ?? 0, passedOver: passedOver ?? 0 };
      return { state: state === 'staging' ? 'checking' : 'adding', ...figures };
    }
    if (row.status === statuses.known) return { state: 'ended', answer: { kind: 'known', body: row.body ?? '' } };
    if (row.status !== null) return { state: 'ended', answer: { kind: 'unknown' } };
    if (row.taken_at >= abandonedBefore) return { state: 'checking', lines: 0, added: 0, leftOut: 0, passedOver: 0 };
    const isMarked = await read((knex) => hasChanged(knex, row.owner));
    return isMarked ? { state: 'ended', answer: { kind: 'unknown' } } : undefined;
  };
}
