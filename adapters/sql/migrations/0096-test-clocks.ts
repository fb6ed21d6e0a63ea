import type { Migration } from '../migrate.ts';
import { raiseVersionsBy } from './0010-keys-in-license-versions.ts';

/**
 * Adds two columns for test licenses: by how many milliseconds the clock is ahead, and the forced answer. Both are empty at first, so no
 * row changes.
 */
export const testClocks: Migration = {
  name: '0096-test-clocks',
  async up(trx) {
    await trx.schema.alterTable('licenses', (table) => {
      table.bigInteger('clock_ahead');
      table.string('forced');
    });
    await raiseVersionsBy(trx, ['key', 'standing', 'expires_at', 'updates_until', 'entitlements', 'forced']);
  },
};
