import type { Migration } from '../migrate.ts';

/**
 * Drops the indexes that 0018 replaced. This is a step of its own, because it keeps others from reading the tables, and so
 * must not take long.
 */
export const unusedIndexes: Migration = {
  name: '0019-unused-indexes',
  async up(trx) {
    for (const name of [
      'users_by_email',
      'users_of_tier_by_email',
      'users_by_name',
      'users_of_tier_by_name',
      'audit_log_subject_index',
    ]) {
      // An unreleased version of 0018 dropped them already.
      await trx.raw(`DROP INDEX IF EXISTS ${name}`);
    }
  },
};
