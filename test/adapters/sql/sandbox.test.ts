import { expect } from 'chai';
import { fill } from '../../../adapters/sql/archive/archive.ts';
import { type ArchivedRow, archivedTables } from '../../../adapters/sql/archive/tables.ts';
import { type Database, isPostgres } from '../../../adapters/sql/database.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlLoginStore } from '../../../adapters/sql/stores/login-store.ts';
import { createSqlSandboxStore } from '../../../adapters/sql/stores/sandbox-store.ts';
import { event } from '../../../core/events/event.ts';
import { toProductId, toUserId } from '../../../core/id.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { isRefused } from '../../../core/refusal.ts';
import { entry, from, type Rows, sample } from '../../support/archived-rows.ts';
import { by } from '../../support/by.ts';
import { tablesOfSchema } from '../../support/postgres-tables.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

const visitor = 3;
const end = 2 ** 41;
const yes = () => true;

/** Tables whose rows belong to the site, say how far a job is, or wait for seconds. A sandbox writes no mails. */
const ofTheSite = [
  ...['schema_migrations', 'templates', 'mails', 'usdc_watches', 'lease_keys', 'site_settings', 'settings'],
  ...['webhook_expiries', 'expiry_reminders', 'webhook_fan_outs', 'usage_runs', 'webhook_runs', 'counters'],
  ...['license_imports', 'license_import_lines', 'license_import_hosts', 'unreferenced_files'],
  // Without accounts. Deleted deployments are taken out of them.
  ...['deployment_days', 'deployment_day_sums', 'deployment_spans'],
];

/** Rows of the visitor in tables that no archive has. */
const unarchived: Rows = {
  sessions: [
    {
      ...{ id: 1, user_id: visitor, digest: 's', generation: 2, role: null, started_at: 1, last_seen_at: 1 },
      ...{ confirmed_at: 1, browser: '', address: '' },
    },
  ],
  one_time_links: [
    { digest: 'l', kind: 'reset-password', purpose: '{}', user_id: visitor, generation: 2, expires_at: end },
  ],
  webhook_watched: [{ product_id: 8, read_at: 1 }],
  webhook_verified: [{ product_id: 8, license_id: 6, domain: 'a.com', ordinal: 1, told: 1 }],
};

/** The sample, in which everything belongs to the visitor, and rows of another user beside it. */
const owned: Rows = Object.fromEntries(
  Object.entries({
    ...sample,
    ratings: [
      {
        ...{ id: 1, product_id: 8, order_id: 4, buyer_email: 'b', stars: 4, name: null, text: '', state: 'shown' },
        ...{ reply: null, replied_at: null, report: null, created_at: 1, changed_at: 1 },
      },
    ],
    api_keys: [
      {
        ...{
          id: 1,
          user_id: visitor,
          name: 'k',
          mode: 'test',
          digest: 'd',
          prefix: 'p',
          last_four: '1234',
          created_at: 1,
        },
        ...{ expires_at: null, revoked_at: null, last_used_at: null, scopes: null, replaced_by: null },
      },
    ],
    coupons: [
      {
        ...{ id: 1, seller_id: visitor, is_live: 0, code: 'C', terms: '{}', starts_at: null, ends_at: null },
        ...{ most_uses: null, uses: 1, created_at: 1, ended_at: null },
      },
    ],
    coupon_uses: [{ order_id: 4, coupon_id: 1, address: 'a', given_back: 0 }],
    invoice_profiles: [{ seller_id: visitor, profile: '{}', updated_at: 1 }],
    seller_pages: [{ user_id: visitor, slug: 's', name: 'n', about: '', updated_at: 1 }],
    product_stars: [{ product_id: 8, of_1: 1, of_2: 1, of_3: 1, of_4: 1, of_5: 1 }],
    kept_files: [
      { key: 'media/a.png', user_id: visitor, size: 1, at: 1 },
      { key: 'media/b.png', user_id: 41, size: 1, at: 1 },
    ],
    audit_log: [
      entry(1),
      { ...entry(2), subject: `${visitor}@example.com` },
      { ...entry(3), actor: `${visitor}@example.com`, subject: 'listener', type: 'webhook.added' },
      { ...entry(4), subject: 'LIC-AAAA-AAAA-AAAA-AAAA', type: 'license.issued' },
      { ...entry(5), subject: 'LIC-ZZZZ-ZZZZ-ZZZZ-ZZZZ', type: 'license.issued' },
      { ...entry(6), subject: 'jar', type: 'product.added' },
      { ...entry(7), subject: '4', type: 'order.paid' },
      { ...entry(8), subject: '4', type: 'subscription.started' },
      { ...entry(9), subject: '4', type: 'mail.retried' },
    ],
    idempotency: ['3:test:a', '31:test:a', 'form:3:new-key:x', 'form:33:new-key:x', 'begun:x'].map((key) => ({
      ...{ key, fingerprint: 'f', taken_at: 1, status: null, body: null, owner: `of ${key}` },
    })),
    idempotency_changes: ['3:test:a', '31:test:a'].map((key) => ({ owner: `of ${key}`, at: 1 })),
  }).map(([table, rows]) => [table, rows.map((row) => ofVisitor(row))]),
);

function ofVisitor(row: ArchivedRow): ArchivedRow {
  const given = (name: string) => (name in row && !row[name] ? { [name]: visitor } : {});
  return { ...row, ...given('owner_id'), ...given('seller_id') };
}

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`deletion of a sandbox account on ${name}`, () => {
    let database: Database;
    let place: SqlPlace;
    beforeEach(async () => {
      place = await make();
      database = await place.open();
      await fill(database, from(owned));
      for (const [table, rows] of Object.entries(unarchived))
        await database.write(async (trx) => await trx(table).insert([...rows]));
    });
    afterEach(async () => {
      await database?.close();
      await place?.remove();
    });

    const store = () => createSqlSandboxStore(database);
    const tables = (): Promise<string[]> =>
      database.read((knex) =>
        isPostgres(knex)
          ? tablesOfSchema(knex)
          : knex('sqlite_schema')
              .where({ type: 'table' })
              .whereRaw("name NOT LIKE 'sqlite_%' AND name NOT LIKE 'catalogue_%'")
              .pluck('name'),
      );
    const rowsOf = (table: string): Promise<ArchivedRow[]> => database.read((knex) => knex(table));
    const all = async () =>
      Object.fromEntries(await Promise.all((await tables()).map(async (one) => [one, await rowsOf(one)] as const)));

    itLong('adds accounts up to a limit, which calls at the same time cannot exceed together', async () => {
      const add = (n: number) =>
        store().add(
          {
            ...{ name: 'V', email: `v${n}@sandbox.invalid`, role: null, passwordHash: null, emailVerifiedAt: null },
            ...{ tier: 'free', selling: 'trusted', createdAt: 1, sandboxUntil: 7 },
          },
          4,
          event('user.added', `v${n}`, by, 1),
        );
      expect(await store().count()).to.equal(1);
      const added = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(add));
      const [logins, refused] = [added.filter((one) => !isRefused(one)), added.filter(isRefused)];
      expect(logins).to.have.lengthOf(3);
      expect(refused.map(({ reason }) => reason)).to.deep.equal(Array(4).fill('sandbox_full'));
      expect(await store().count()).to.equal(4);
      for (const login of logins) {
        if (isRefused(login)) throw new Error(login.reason);
        const { id } = login;
        expect(login).to.deep.include({ sandboxUntil: 7, selling: 'trusted', generation: 0, passwordHash: null });
        expect(await createSqlLoginStore(database).find(id)).to.deep.equal(login);
        expect(await createSqlAccountStore(database).findById(id)).to.deep.include({ sandboxUntil: 7, tier: 'free' });
      }
    });

    itLong(
      'adds licenses up to a limit of their owner, which calls at the same time cannot exceed together',
      async () => {
        const licenses = createSqlLicenseStore(database, () => Promise.reject(new Error('Nothing is verified here.')));
        const add = (n: number) => {
          const keys = ['A', 'B'].map((one) => `LIC-${one}${n}AA-BBBB-CCCC-DDDD` as LicenseKey);
          const standing = 'active' as const;
          const terms = { productId: toProductId(8), standing, maxDomains: 1, expiresAt: null, createdAt: 1 };
          const given = keys.map((key) => ({ ...terms, key }));
          return licenses.addWithin({ id: toUserId(visitor), most: 6 }, given, []);
        };
        const before = (await rowsOf('licenses')).length;
        const added = await Promise.all([2, 3, 4, 5, 6, 7].map(add));
        const room = Math.floor((6 - before) / 2);
        expect(added.map((one) => one?.reason).toSorted()).to.deep.equal(
          [...Array(room).fill(undefined), ...Array(6 - room).fill('too_many_licenses')].toSorted(),
        );
        expect(await rowsOf('licenses')).to.have.lengthOf(before + 2 * room);
      },
    );

    itLong('leaves no row of the account in any table, and every row of others', async () => {
      const full = await all();
      const empty = archivedTables.filter(({ name: one }) => !ofTheSite.includes(one) && full[one]?.length === 0);
      expect(empty.map((one) => one.name)).to.deep.equal([]);
      expect(await store().close(end, 'ended')).to.equal(1);
      expect(await store().remove(toUserId(visitor), yes)).to.equal(true);
      expect(await all()).to.deep.equal(withoutVisitor(full));
    });

    itLong(
      'keeps what the audit trail says of things of others that have the same name, or that the account has changed',
      async () => {
        const actor = `${visitor}@example.com`;
        const kept: ArchivedRow[] = [
          ...['terms', 'listener', 'jar'].flatMap((subject, n) => [
            { ...entry(100 + n), type: 'setting.changed', subject },
            { ...entry(110 + n), type: 'webhook.added', subject },
            { ...entry(120 + n), type: 'template.added', subject },
            { ...entry(130 + n), type: 'coupon.added', subject },
          ]),
          { ...entry(140), type: 'order.added', subject: '4' },
          { ...entry(141), type: 'product.added', subject: '4' },
          { ...entry(142), type: 'license.left_out', subject: 'LIC-AAAA-AAAA-AAAA-AAAA' },
          { ...entry(143), type: 'order.added', subject: 'of-another', actor },
          { ...entry(144), type: 'order.claimed', subject: '77', actor },
          { ...entry(145), type: 'rating.written', subject: 'of-another', actor },
          { ...entry(146), type: 'license.deactivated', subject: 'LIC-BBBB-BBBB-BBBB-BBBB', actor },
        ];
        const own: ArchivedRow[] = ['terms', 'listener', 'jar'].flatMap((subject, n) => [
          { ...entry(200 + n), type: 'order.added', subject },
          { ...entry(210 + n), type: 'rating.written', subject },
          { ...entry(220 + n), type: 'license.rotated', subject: `LIC-FORM-ER${n}A`, actor },
        ]);
        await database.write(async (trx) => {
          const [product] = await trx('products').where({ id: 8 });
          for (const [n, slug] of ['terms', 'listener'].entries())
            await trx('products').insert({ ...product, id: 60 + n, slug });
          const [license] = await trx('licenses').where({ id: 6 });
          await trx('products').insert({ ...product, id: 70, slug: 'of-another', owner_id: 41 });
          await trx('licenses').insert({ ...license, id: 71, key: 'LIC-BBBB-BBBB-BBBB-BBBB', product_id: 70 });
          await trx('audit_log').insert([...kept, ...own]);
        });
        await store().close(end, 'ended');
        expect(await store().remove(toUserId(visitor), yes)).to.equal(true);
        const left = (await rowsOf('audit_log')).map(({ id }) => Number(id)).filter((id) => id >= 100);
        expect(left.toSorted()).to.deep.equal(kept.map(({ id }) => Number(id)).toSorted());
      },
    );

    it('changes nothing of an account that is not marked, or that has not ended', async () => {
      const full = await all();
      expect(await store().close(end - 1, 'ended')).to.equal(0);
      for (const id of [visitor, 41].map(toUserId)) {
        expect(await store().remove(id, yes)).to.equal(false);
        expect(await store().filesOf(id, 9)).to.deep.equal([]);
      }
      expect(await store().closedBy(end)).to.deep.equal([]);
      expect(await all()).to.deep.equal(full);
    });

    itLong('closes all marked accounts if asked to, and no other', async () => {
      expect(await store().close(end - 5, 'all')).to.equal(1);
      expect(await store().close(end - 4, 'all')).to.equal(0);
      expect(await store().closedBy(end - 6)).to.deep.equal([]);
      expect(await store().closedBy(end - 5)).to.deep.equal([visitor]);
      const users = await rowsOf('users');
      expect(users.map((row) => [row.id, row.suspended_at, row.sandbox_until])).to.have.deep.members([
        [visitor, end - 5, end - 5],
        [41, 2 ** 41, null],
      ]);
      expect(await rowsOf('sessions')).to.deep.equal([]);
      expect(await store().filesOf(toUserId(visitor), 9)).to.deep.equal(['media/a.png']);
    });

    itLong('goes on where it was interrupted, after any step', async () => {
      const full = await all();
      await store().close(end, 'ended');
      let runs = 0;
      for (let isDone = false; !isDone; runs++) {
        let steps = 0;
        isDone = await store().remove(toUserId(visitor), () => steps++ < 3 + runs);
      }
      expect(runs).to.be.greaterThan(20);
      expect(await all()).to.deep.equal(withoutVisitor(full));
    });

    itLong('leaves nothing of what the license API adds meanwhile', async () => {
      const full = await all();
      await store().close(end, 'ended');
      const [activation, event_, delivery] = [
        full.activations?.[0],
        full.webhook_events?.[0],
        full.webhook_deliveries?.[0],
      ];
      let calls = 0;
      let added = 0;
      const activate = () =>
        database.write(async (trx) => {
          const license = await trx('licenses').where({ id: activation?.license_id }).forUpdate().first();
          if (license === undefined) return;
          const id = 1_000 + ++added;
          await trx('activations').insert({ ...activation, domain: `d${id}.com`, ordinal: id });
          await trx('audit_log').insert({ ...entry(id), type: 'license.activated', subject: license.key });
          const endpoint = await trx('webhook_endpoints').where({ id: delivery?.endpoint_id }).first();
          if (endpoint === undefined) return;
          await trx('webhook_events').insert({ ...event_, id, name: `evt_${id}` });
          await trx('webhook_deliveries').insert({ ...delivery, id, event_id: id });
        });
      const busy: typeof database = {
        ...database,
        async read(work) {
          if (++calls % 3 === 0) await activate();
          return await database.read(work);
        },
        async write(work) {
          if (++calls % 3 === 0) await activate();
          return await database.write(work);
        },
      };
      expect(await createSqlSandboxStore(busy).remove(toUserId(visitor), yes)).to.equal(true);
      expect(added).to.be.greaterThan(20);
      expect(await all()).to.deep.equal(withoutVisitor(full));
    });

    itLong('may be done by several processes at the same time', async () => {
      const full = await all();
      await store().close(end, 'ended');
      const removed = await Promise.allSettled([1, 2, 3, 4].map(() => store().remove(toUserId(visitor), yes)));
      const wasDeleted = removed.filter((one) => one.status === 'fulfilled' && one.value).length;
      expect(wasDeleted).to.be.oneOf([0, 1]);
      // One of them can have met a row that another one had not deleted yet. The next run deletes the rest.
      expect(await store().remove(toUserId(visitor), yes)).to.equal(wasDeleted === 0);
      expect(await all()).to.deep.equal(withoutVisitor(full));
    });

    itLong('keeps what the account has bought of others, as the order of a guest', async () => {
      await database.write(async (trx) => {
        const [product] = await trx('products').where({ id: 8 });
        await trx('products').insert({ ...product, id: 9, slug: 'other', owner_id: 41 });
        await trx('orders').where({ id: 4 }).update({ product_id: 9, seller_id: 41 });
        for (const table of ['ratings', 'coupon_uses', 'usdc_claims']) await trx(table).delete();
      });
      await store().close(end, 'ended');
      expect(await store().remove(toUserId(visitor), yes)).to.equal(true);
      const [order, ...more] = await rowsOf('orders');
      expect(more).to.deep.equal([]);
      expect(order).to.deep.include({ id: 4, product_id: 9, seller_id: 41, buyer_id: null });
      expect((await rowsOf('products')).map(({ id }) => id)).to.deep.equal([9]);
    });
  });
}

/** The rows that must be left. Of tables of the site, all; of others, those that are not of the visitor. */
function withoutVisitor(full: Rows): Rows {
  const others: Readonly<Record<string, (row: ArchivedRow) => boolean>> = {
    users: ({ id }) => id === 41,
    user_texts: isOf41,
    account_usage: isOf41,
    kept_files: isOf41,
    notifications: isOf41,
    purchases: isOf41,
    audit_log: ({ id }) => id === 1 || id === 9,
    idempotency: ({ key }) => !['3:test:a', 'form:3:new-key:x'].includes(String(key)),
    idempotency_changes: ({ owner }) => owner !== 'of 3:test:a',
    webhook_events: ({ id }) => id === 2,
    work: ({ kind }) => kind === 'mail',
  };
  return Object.fromEntries(
    Object.entries(full).map(([table, rows]) => [
      table,
      ofTheSite.includes(table) ? rows : rows.filter(others[table] ?? (() => false)),
    ]),
  );
}

function isOf41({ user_id: id }: ArchivedRow): boolean {
  return id === 41;
}
