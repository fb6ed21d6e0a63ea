import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import type { Database } from '../../../adapters/sql/database.ts';
import { migrations } from '../../../adapters/sql/migrations/index.ts';
import { openPostgres } from '../../../adapters/sql/postgres/database.ts';
import { openSqlite } from '../../../adapters/sql/sqlite/database.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlCounterArchive } from '../../../adapters/sql/stores/counter-archive.ts';
import { createSqlFileLedger } from '../../../adapters/sql/stores/file-ledger.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { insertUserTexts } from '../../../adapters/sql/user-texts.ts';
import { plainUser } from '../../../core/accounts/user.ts';
import { toUserId } from '../../../core/id.ts';
import { parseLicenseKey } from '../../../core/licensing/license-key.ts';
import { eventually } from '../../support/eventually.ts';
import { makeSchema, postgresServer } from '../../support/postgres-backend.ts';
import { needing, skipLong } from '../../support/required-service.ts';
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

/** The migrations after which the rows of `makeOld` are other ones. */
const changed = ['0006-counters-of-accounts', '0007-patterns-off', '0011-roles', '0018-administration'] as const;
const had = (step: (typeof changed)[number], steps: number) =>
  migrations.slice(0, steps).some(({ name }) => name === step);

/** Whether to upgrade from here: the rows of the versions between two of these go through all steps of the first of them. */
function isStart(steps: number): boolean {
  const names: readonly string[] = changed;
  return steps <= 2 || steps >= migrations.length - 3 || names.includes(migrations[steps - 1]?.name ?? '');
}

/** Creates the schema of the first `steps` migrations, with rows that were possible then. */
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
  const ada = { name: 'Ada Ünal', email: 'ada@example.com', tier: 'pro', created_at: 1_000 };
  await old('users').insert({ ...ada, ...(had('0011-roles', steps) && { search_name: 'ada ünal' }) });
  if (had('0018-administration', steps)) {
    await old.transaction((trx) => insertUserTexts(trx, [{ ...plainUser, ...ada, id: toUserId(1), tier: 'pro' }]));
  }
  const updated = steps > 1 ? { updated_at: 2_000 } : {};
  await old('products').insert({ slug: 'old', title: 'Old', owner_id: 1, created_at: 2_000, ...updated });
  const retired = had('0007-patterns-off', steps) ? { count: 9, last: 5_500 } : { count: 7, last: 4_000 };
  await old('licenses').insert({
    key: 'LIC-AAAA-BBBB-CCCC-DDDD',
    product_id: 1,
    standing: 'suspended',
    max_domains: 3,
    domains_used: had('0007-patterns-off', steps) ? 1 : 2,
    activations_made: 4,
    expires_at: null,
    created_at: 3_000,
    retired_verification_count: retired.count,
    retired_last_verified_at: retired.last,
  });
  if (steps > 1) {
    const keyParts = { mode: 'live', digest: 'd', prefix: 'lk_sk_live_ab12', last_four: 'f00d' };
    await old('api_keys').insert({ user_id: 1, name: 'Old', ...keyParts, created_at: 1_500 });
    await old('counters').insert({ id: '86400:account:user:1', used: 5, reset_at: 9_000 });
    const ofAddress = { id: '86400:account:address:203.0.113.1', used: 6, reset_at: 9_000 };
    if (!had('0006-counters-of-accounts', steps)) await old('counters').insert(ofAddress);
    const upload = { user_id: 1, is_live: 1, size: 300_000_000_000, at: 7_000 };
    await old('uploads').insert(['media/a.zip', 'media/b.zip'].map((key) => ({ ...upload, key })));
  }
  await old('activations').insert({
    license_id: 1,
    domain: 'a.com',
    ordinal: 4,
    activated_at: 5_000,
    verification_count: 9,
    last_verified_at: 6_000,
  });
  if (had('0007-patterns-off', steps)) return;
  await old('activations').insert({
    license_id: 1,
    domain: '*.a.com',
    ordinal: 3,
    activated_at: 5_000,
    verification_count: 2,
    last_verified_at: 5_500,
  });
}

for (const { name, skip, make } of places) {
  needing(skip).describe(`upgrade on ${name}`, () => {
    for (let steps = 1; steps < migrations.length; steps++) {
      if (!isStart(steps)) continue;
      // Without TEST_LONG only from the first and from the last version.
      const test = needing(steps === 1 || steps >= migrations.length - 1 ? undefined : skipLong);
      test.it(`keeps the data of a database that had the schema of ${migrations[steps - 1]?.name}`, async () => {
        const { old, open, remove } = await make();
        try {
          await makeOld(old, steps);
          await old.destroy();
          const database = await open();
          try {
            expect(database.migrated).to.deep.equal(migrations.slice(steps).map((step) => step.name));
            const user = await createSqlAccountStore(database).findByEmail('ada@example.com');
            const ada = {
              ...plainUser,
              id: 1,
              name: 'Ada Ünal',
              email: 'ada@example.com',
              tier: 'pro',
              createdAt: 1_000,
            };
            expect(user).to.deep.equal(ada);
            for (const search of ['ada@', 'ADA ü', 'ünal']) {
              const found = await createSqlAccountStore(database).list({ search, limit: 9 });
              expect(
                found.map((one) => one.user),
                search,
              ).to.deep.equal([ada]);
            }
            const old = (await createSqlAccountStore(database).findKey('d'))?.key;
            if (steps > 1) expect(old).to.include({ name: 'Old', scopes: null, expiresAt: null, replacedBy: null });
            const product = await createSqlProductStore(database).findBySlug('old');
            const timed = { createdAt: 2_000, updatedAt: 2_000 };
            expect(product).to.include({ id: 1, title: 'Old', ownerId: 1, status: 'unlisted', isLive: true, ...timed });
            const key = parseLicenseKey('LIC-AAAA-BBBB-CCCC-DDDD');
            const counters = await createSqlCounterArchive(database).load(8_000);
            const kept = [{ id: '86400:account:user:1', used: 5, resetAt: 9_000 }];
            expect(counters, 'only the counters of accounts').to.deep.equal(steps > 1 ? kept : []);
            const verify = () => Promise.reject(new Error('Nothing is verified here.'));
            const record = key && (await createSqlLicenseStore(database, verify).find(key));
            expect(record?.license).to.include({
              standing: 'suspended',
              maxDomains: 3,
              domainsUsed: 1,
              createdAt: 3_000,
              ownerId: 1,
              isLive: true,
              freeDomains: 0,
              daysFromActivation: null,
              updatesUntil: null,
            });
            expect(record?.license.entitlements).to.deep.equal([]);
            expect(record?.license.retired).to.deep.equal({ verificationCount: 9, lastVerifiedAt: 5_500 });
            expect(record?.domains).to.deep.equal([
              {
                domain: 'a.com',
                activatedAt: 5_000,
                verificationCount: 9,
                lastVerifiedAt: 6_000,
                kind: 'slot',
                endsAt: null,
                movedTo: null,
                movedFrom: null,
              },
            ]);
            const isCounted = steps > 1 && database.migrated.includes('0005-kept-files');
            expect(await createSqlFileLedger(database).used(toUserId(1))).to.equal(isCounted ? 600_000_000_000 : 0);
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

needing(postgresServer.skip).describe('a long step of an upgrade on Postgres', () => {
  it('vacuums a table that it writes anew, so that scans of an index only need not read it', async () => {
    const schema = await makeSchema();
    const old = knex({ client: 'pg', connection: schema.url });
    try {
      await makeOld(
        old,
        migrations.findIndex(({ name }) => name === '0033-catalogue-short-terms'),
      );
      await old.raw(`WITH added AS (INSERT INTO products (slug, title, created_at) VALUES ('x', 'X', 1) RETURNING id)
        INSERT INTO catalogue (id, price, sold, terms) SELECT id, 100, 0, ' x ' FROM added`);
      const database = await openPostgres({ url: schema.url, poolSize: 2, statementTimeout: 10_000 });
      await database.close();
      // Which rows are visible to all depends on the transactions of other tests too.
      const vacuumed = async () => {
        const { rows } = await old.raw("SELECT pg_stat_get_vacuum_count('catalogue'::regclass) AS count");
        return Number(rows[0].count) > 0;
      };
      await eventually('the table is vacuumed', vacuumed);
    } finally {
      await old.destroy();
      await schema.drop();
    }
  });

  it('lets older processes read users while it fills the texts by which they are found, and nobody write them', async () => {
    const schema = await makeSchema();
    const old = knex({ client: 'pg', connection: schema.url });
    const other = knex({ client: 'pg', connection: schema.url, pool: { min: 1, max: 1 } });
    try {
      const fill = migrations.findIndex(({ name }) => name === '0018-administration');
      await makeOld(old, fill);
      await old.transaction(async (trx) => {
        await migrations[fill]?.up(trx);
        await other.raw("SET lock_timeout = '1s'");
        expect(await other('users').pluck('email')).to.deep.equal(['ada@example.com']);
        expect(await other('audit_log').pluck('id')).to.be.an('array');
        const late = { name: 'Bob', email: 'bob@example.com', tier: 'pro', created_at: 1 };
        const refused = await other('users')
          .insert(late)
          .then(
            () => undefined,
            (error: { readonly code: string }) => error.code,
          );
        expect(refused).to.equal('55P03');
      });
    } finally {
      await Promise.all([old.destroy(), other.destroy()]);
      await schema.drop();
    }
  });
});
