import type { Migration } from '../migrate.ts';
import { raiseVersionsBy } from './0010-keys-in-license-versions.ts';

/**
 * How far the clock of a test license is ahead, in milliseconds, and the answer that is forced. Both columns are empty at first, so no
 * row is written anew.
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
