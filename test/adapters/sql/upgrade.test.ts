import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { createSqlAccountStore } from '../../../adapters/sql/account-store.ts';
import type { Database } from '../../../adapters/sql/database.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/license-store.ts';
import { migrations } from '../../../adapters/sql/migrations/index.ts';
import { openPostgres } from '../../../adapters/sql/postgres.ts';
import { createSqlProductStore } from '../../../adapters/sql/product-store.ts';
import { openSqlite } from '../../../adapters/sql/sqlite.ts';
import { parseLicenseKey } from '../../../core/licensing/license-key.ts';
import { makeSchema, postgresServer } from '../../support/postgres-backend.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const places = [
  {
    name: 'SQLite',
    skip: undefined,
    async make() {
      const folder = await makeTemporaryFolder();
      const filename = folder.file('old.db');
      const old = knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true });
      return { old, open: (): Promise<Database> => openSqlite(filename), remove: folder.remove };
    },
  },
  {
    name: 'Postgres',
    skip: postgresServer.skip,
    async make() {
      const schema = await makeSchema();
      const old = knex({ client: 'pg', connection: schema.url });
      const options = { url: schema.url, poolSize: 2, statementTimeout: 10_000 };
      return { old, open: (): Promise<Database> => openPostgres(options), remove: schema.drop };
    },
  },
];

/** The schema as it was after the first so many steps, with the rows that could be there then. */
async function makeOld(old: Knex, steps: number): Promise<void> {
  await old.schema.createTable('schema_migrations', (table) => {
    table.string('name').primary();
    table.string('applied_at').notNullable();
  });
  for (const { name, up } of migrations.slice(0, steps)) {
    await old.transaction(async (trx) => {
      await up(trx);
      await trx('schema_migrations').insert({ name, applied_at: 'then' });
    });
  }
  await old('users').insert({ name: 'Ada', email: 'ada@example.com', tier: 'pro', created_at: 1_000 });
  const updated = steps > 1 ? { updated_at: 2_000 } : {};
  await old('products').insert({ slug: 'old', title: 'Old', owner_id: 1, created_at: 2_000, ...updated });
  await old('licenses').insert({
    key: 'LIC-AAAA-BBBB-CCCC-DDDD',
    product_id: 1,
    standing: 'suspended',
    max_domains: 3,
    domains_used: 1,
    activations_made: 4,
    expires_at: null,
    created_at: 3_000,
    retired_verification_count: 7,
    retired_last_verified_at: 4_000,
  });
  await old('activations').insert({
    license_id: 1,
    domain: 'a.com',
    ordinal: 4,
    activated_at: 5_000,
    verification_count: 9,
    last_verified_at: 6_000,
  });
}

for (const { name, skip, make } of places) {
  (skip ? describe.skip : describe)(`upgrade on ${name}${skip ? ` (${skip})` : ''}`, () => {
    for (let steps = 1; steps < migrations.length; steps++) {
      it(`keeps everything of a database as it was after ${migrations[steps - 1]?.name}`, async () => {
        const { old, open, remove } = await make();
        try {
          await makeOld(old, steps);
          await old.destroy();
          const database = await open();
          try {
            expect(database.migrated).to.deep.equal(migrations.slice(steps).map((step) => step.name));
            const user = await createSqlAccountStore(database).findByEmail('ada@example.com');
            expect(user).to.deep.equal({ id: 1, name: 'Ada', email: 'ada@example.com', tier: 'pro', createdAt: 1_000 });
            const product = await createSqlProductStore(database).findBySlug('old');
            const timed = { createdAt: 2_000, updatedAt: 2_000 };
            expect(product).to.include({ id: 1, title: 'Old', ownerId: 1, status: 'unlisted', isLive: true, ...timed });
            const key = parseLicenseKey('LIC-AAAA-BBBB-CCCC-DDDD');
            const verify = () => Promise.reject(new Error('Nothing is verified here.'));
            const record = key && (await createSqlLicenseStore(database, verify).find(key));
            expect(record?.license).to.include({
              standing: 'suspended',
              maxDomains: 3,
              domainsUsed: 1,
              createdAt: 3_000,
            });
            expect(record?.license.retired).to.deep.equal({ verificationCount: 7, lastVerifiedAt: 4_000 });
            expect(record?.domains).to.deep.equal([
              { domain: 'a.com', activatedAt: 5_000, verificationCount: 9, lastVerifiedAt: 6_000 },
            ]);
          } finally {
            await database.close();
          }
        } finally {
          await remove();
        }
      });
    }
  });
}
