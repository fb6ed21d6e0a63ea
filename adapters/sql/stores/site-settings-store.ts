import type { Knex } from 'knex';
import type { SiteSettingsStore, StoredSettings } from '../../../core/ports/site-settings-store.ts';
import { isRefused } from '../../../core/refusal.ts';
import { holdLock } from '../advisory-locks.ts';
import type { Database } from '../database.ts';
import { record } from './audit-log.ts';

interface SettingRow {
  readonly name: string;
  readonly value: string | null;
  readonly revision: number;
}

const table = (knex: Knex) => knex<SettingRow>('site_settings');

export function createSqlSiteSettingsStore({ read, write }: Pick<Database, 'read' | 'write'>): SiteSettingsStore {
  return {
    read: () => read(all),
    async readNewer(revision) {
      const newer = await read((knex) => table(knex).where('revision', '>', revision).first('name'));
      return newer === undefined ? undefined : await read(all);
    },
    change: (decide) =>
      write(async (trx) => {
        // Rows that do not exist yet cannot be locked. SQLite has only one writer.
        await holdLock(trx, 'settings');
        const before = await all(trx);
        const decision = decide(before);
        if (isRefused(decision)) return decision;
        const { texts, events } = decision;
        if (events.length === 0) return before;
        const revision = before.revision + 1;
        const rows = Object.entries(texts).map(([name, value]) => ({ name, value, revision }));
        await table(trx).insert(rows).onConflict('name').merge();
        await record(trx, events);
        return await all(trx);
      }),
  };
}

async function all(knex: Knex): Promise<StoredSettings> {
  const rows: readonly SettingRow[] = await table(knex).select('name', 'value', 'revision');
  return {
    revision: Math.max(0, ...rows.map(({ revision }) => revision)),
    texts: Object.fromEntries(rows.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))),
  };
}
