import type { Migration } from '../migrate.ts';

/** Kinds of work are claimed apart: however much work of one kind waits, the other kinds are found without reading it. */
export const workByKind: Migration = {
  name: '0090-work-by-kind',
  async up(trx) {
    await trx.raw('CREATE INDEX work_by_kind ON work (kind, due, id)');
  },
};
