import { expect } from 'chai';
import { assertEmpty, fill, withSnapshot } from '../../../adapters/sql/archive/archive.ts';
import { ImportRefused } from '../../../adapters/sql/archive/refused.ts';
import { type ArchivedRow, type ArchivedTable, archivedTables } from '../../../adapters/sql/archive/tables.ts';
import type { Database } from '../../../adapters/sql/database.ts';
import { openSqlite } from '../../../adapters/sql/sqlite/database.ts';
import { createSqlFileReferences } from '../../../adapters/sql/stores/file-references.ts';
import { activation, answerOf, entry, from, type Rows, sample, user } from '../../support/archived-rows.ts';
import { errorOf } from '../../support/error-of.ts';
import { tablesOfSchema } from '../../support/postgres-tables.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

/**
 * Tables that are not copied. Migrations create the schema again. Rate limit counters end within a day. The settings
 * contain the fingerprint of the old secret. Files without references are not copied. Sessions and one-time links would
 * be valid in two places. A run of the hourly figures or of webhooks belongs to a process of the old server.
 */
const leftTables = [
  // An import makes the catalogue anew from the products.
  'catalogue',
  'catalogue_terms',
  'catalogue_spellings',
  // Triggers fill it again from `product_usage`.
  'owner_usage',
  // Triggers fill them again from `deployment_days`.
  'deployment_day_sums',
  'deployment_spans',
  'schema_migrations',
  'counters',
  'settings',
  'unreferenced_files',
  'sessions',
  'one_time_links',
  'device_logins',
  'usage_runs',
  'webhook_runs',
  // The counters of verifications are read anew.
  'webhook_watched',
  'webhook_verified',
];
for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`archive of ${name}`, () => {
    let database: Database;
    let place: SqlPlace;
    beforeEach(async () => {
      place = await make();
      database = await place.open();
      if (name === 'SQLite') return;
      // The key column gets a collation that does not sort by bytes, as servers may have.
      await database.write((trx) => trx.raw('ALTER TABLE idempotency ALTER COLUMN key TYPE text COLLATE "en-x-icu"'));
    });
    afterEach(async () => {
      await database?.close();
      await place?.remove();
    });

    const all = () =>
      withSnapshot(database, async ({ rows }) => {
        const found: Record<string, ArchivedRow[]> = {};
        for (const table of archivedTables) {
          for await (const page of rows(table)) found[table.name] = [...(found[table.name] ?? []), ...page];
        }
        return found;
      });

    itLong('lists every table as exported or not, and every column that contains file keys', async () => {
      const isOnPostgres = name === 'Postgres';
      const schema: string[] = await database.read((knex) =>
        isOnPostgres
          ? tablesOfSchema(knex)
          : knex('sqlite_schema')
              .where({ type: 'table' })
              // The full-text index of the catalogue is several tables, which triggers fill.
              .whereRaw("name NOT LIKE 'sqlite_%' AND name NOT LIKE 'catalogue_search%'")
              .pluck('name'),
      );
      const known = [...archivedTables.map(({ name: moved }) => moved), ...leftTables];
      expect(schema.toSorted()).to.deep.equal(known.toSorted());
      const key = 'media/known.png';
      const places = archivedTables.flatMap(({ name: table, files = [] }) =>
        files.map((column) => ({ table, column })),
      );
      expect(places).to.have.lengthOf(5);
      await fill(database, from(sample));
      for (const { table, column } of places) {
        await database.write(async (trx) => await trx(table).update({ [column]: key }));
        expect(await createSqlFileReferences(database).unreferenced([key], { now: 0, before: 1 }), table).to.deep.equal(
          [],
        );
        await database.write(async (trx) => await trx(table).update({ [column]: 'media/other.png' }));
      }
    });

    itLong('exports the imported rows unchanged, in the order of their keys', async () => {
      await fill(database, from(sample));
      expect(await all()).to.deep.equal({
        ...sample,
        idempotency: ['1:a', '1:a-', '1:a.', '1:aa', '1:b', '1:Ä'].toSorted(bytewise).map(answerOf),
      });
    });

    itLong('leaves out what was sent to webhooks that were removed, because a new one may get their id', async () => {
      const [delivery] = sample.webhook_deliveries ?? [];
      const [attempt] = sample.webhook_attempts ?? [];
      const removed = { endpoint_id: 6 };
      const rows: Rows = {
        ...sample,
        webhook_deliveries: [{ ...delivery, id: 7, ...removed }, ...(sample.webhook_deliveries ?? [])],
        webhook_attempts: [{ ...attempt, delivery_id: 7 }, ...(sample.webhook_attempts ?? [])],
        webhook_hours: [...(sample.webhook_hours ?? []), { ...sample.webhook_hours?.[0], ...removed }],
      };
      await fill(database, from(rows));
      const { webhook_deliveries, webhook_attempts, webhook_hours } = sample;
      expect(await all()).to.deep.include({ webhook_deliveries, webhook_attempts, webhook_hours });
    });

    itLong('continues after the end of a page, for keys of one column, several columns and text', async () => {
      const ids = Array.from({ length: 1_501 }, (_, index) => index + 1);
      const rows: Rows = {
        users: ids.map(user),
        templates: sample.templates ?? [],
        products: sample.products ?? [],
        licenses: (sample.licenses ?? []).map((license) => ({ ...license, max_domains: 2_000, domains_used: 1_001 })),
        activations: ids.slice(0, 1_001).map((id) => activation(`d${id}.example.com`)),
        idempotency: ids.slice(0, 1_000).map((id) => answerOf(`${id % 2 ? 'a' : 'B'}${id}`)),
      };
      await fill(database, from(rows));
      const found = await all();
      expect(found.users).to.deep.equal(rows.users);
      for (const [table, column] of [
        ['activations', 'domain'],
        ['idempotency', 'key'],
      ] as const) {
        expect(found[table]?.map((row) => row[column])).to.deep.equal(
          rows[table]?.map((row) => String(row[column])).toSorted(bytewise),
        );
      }
    });

    itLong('exports the state at one moment while others write', async () => {
      await fill(database, from(sample));
      const [before, schema] = await withSnapshot(database, async (snapshot) => {
        const [users] = archivedTables.filter(({ name: table }) => table === 'users');
        const products = archivedTables.filter(({ name: table }) => table === 'products');
        const found: ArchivedRow[] = [];
        for await (const page of snapshot.rows(users as ArchivedTable)) found.push(...page);
        const [other, close] = await again(database);
        await other.write(async (trx) => {
          await trx('users').insert(user(1_000));
          await trx('products').update({ title: 'Other' });
        });
        await close();
        for (const table of products) for await (const page of snapshot.rows(table)) found.push(...page);
        return [found, snapshot.schema];
      });
      expect(before).to.deep.equal([...(sample.users ?? []), ...(sample.products ?? [])]);
      expect(schema).to.equal(database.migrated.at(-1));
      expect((await all()).users).to.have.lengthOf((sample.users?.length ?? 0) + 1);
    });

    itLong('gives new rows the ids after the last imported id', async () => {
      await fill(database, from(sample));
      const { id: last } = user(41);
      const ids = await database.write(async (trx) => {
        const { id: _, ...added } = user(7_000);
        const [{ id: userId }] = await trx('users').insert(added).returning('id');
        const [{ id: keyId }] = await trx('api_keys')
          .insert({ user_id: 3, name: 'k', mode: 'live', digest: 'd', prefix: 'p', last_four: 'f', created_at: 1 })
          .returning('id');
        return [userId, keyId];
      });
      expect(ids).to.deep.equal([last + 1, 1]);
    });

    itLong('imports all rows or none, and leaves the database unchanged if it fails', async () => {
      const broken = new Error('broken');
      const brokenRows = async function* (table: ArchivedTable) {
        yield* from(sample)(table);
        if (table.name === 'audit_log') throw broken;
      };
      expect(await errorOf(fill(database, brokenRows))).to.equal(broken);
      const wrong: Record<string, Rows> = {
        'audit_log: .*(?:UNIQUE|duplicate)': { ...sample, audit_log: [entry(5), entry(5)] },
        'purchases: .*(?:FOREIGN|foreign)': { ...sample, purchases: [{ user_id: 3, template_id: 9, at: 1 }] },
        'licenses: .*(?:CHECK|check)': { ...sample, licenses: (sample.licenses ?? []).map(overfull) },
        'users: .*(?:NOT NULL|not-null)': { ...sample, users: [{ ...user(1), name: null }] },
      };
      for (const [says, rows] of Object.entries(wrong)) {
        const error = await errorOf(fill(database, from(rows)));
        expect(error).to.be.instanceOf(ImportRefused);
        expect(String(error)).to.match(
          new RegExp(`Nothing was imported: the database refuses the exported rows of ${says}`),
        );
        expect(String(error)).to.not.include('insert into');
      }
      expect(await all()).to.deep.equal({});
      await fill(database, from(sample));
    });

    itLong('imports only into a database that contains nothing but its own settings, and keeps those', async () => {
      const own = { name: 'signing_fingerprint', value: 'its own' };
      await database.write(async (trx) => await trx('settings').insert(own));
      await assertEmpty(database);
      await fill(database, from(sample));
      expect(await database.read((knex) => knex('settings'))).to.deep.equal([own]);
      const before = await all();
      const other: Rows = { ...sample, users: [], products: [], licenses: [], activations: [] };
      for (const refused of [assertEmpty(database), fill(database, from(other))]) {
        const error = await errorOf(refused);
        expect(error).to.be.instanceOf(ImportRefused);
        expect(String(error)).to.match(/the database is not empty: it contains users\.$/);
      }
      expect(await all()).to.deep.equal(before);
    });

    /** Opens the same database a second time, like another process. */
    async function again(opened: Database): Promise<[Database, () => Promise<void>]> {
      if (!('file' in opened)) return [opened, async () => undefined];
      const other = await openSqlite(String(opened.file));
      return [other, () => other.close()];
    }
  });
}

function overfull(license: ArchivedRow): ArchivedRow {
  return { ...license, domains_used: 2_000 };
}

function bytewise(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
