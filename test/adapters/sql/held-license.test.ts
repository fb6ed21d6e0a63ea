import { expect } from 'chai';
import pg from 'pg';
import { openPostgres, type PostgresDatabase } from '../../../adapters/sql/postgres/database.ts';
import { openPostgresVerifier } from '../../../adapters/sql/postgres/verifier.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import type { Verifier } from '../../../adapters/sql/verifier.ts';
import { event } from '../../../core/events/event.ts';
import type { LicenseStore } from '../../../core/ports/license-store.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { by } from '../../support/by.ts';
import { deferred } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense, outcome } from '../../support/license-acts.ts';
import { type PgBouncer, pgbouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { makeDatabase, postgresServer } from '../../support/postgres-backend.ts';
import { needing } from '../../support/required-service.ts';

const shop = domain('shop.example');
const blog = domain('blog.example');
const [held, other] = [keyNumber(1), keyNumber(2)];
/** The connections of the pool, and the sessions of PgBouncer. */
const [poolSize, sessions] = [4, 4];
/** Far more than the connections and the sessions. */
const callers = 20;
/**
 * In milliseconds. A change gives up after one second. A busy machine may need longer, but the bound must be less than
 * the 15 seconds after which Postgres cancels a statement.
 */
const bound = 4_000;

needing(postgresServer.skip).describe('a license that another session has locked', () => {
  let server: Awaited<ReturnType<typeof makeDatabase>>;
  let bouncer: PgBouncer | undefined;
  let outsider: pg.Client;
  before(async () => {
    server = await makeDatabase();
    if (pgbouncer.skip === undefined) bouncer = await startPgBouncer(server.url, { transaction: sessions, session: 1 });
    outsider = new pg.Client({ connectionString: server.url });
    await outsider.connect();
  });
  after(async () => {
    await outsider?.end();
    await bouncer?.[Symbol.asyncDispose]();
    await server?.drop();
  });

  const ways = {
    direct: { skip: undefined, url: () => server.url },
    'through PgBouncer': { skip: pgbouncer.skip, url: () => bouncer?.url('transaction') ?? '' },
  };
  for (const [way, { skip, url }] of Object.entries(ways)) {
    needing(skip).describe(way, () => {
      let database: PostgresDatabase;
      let verifier: Verifier;
      let act: ReturnType<typeof actOn>;
      let find: (key: typeof held) => Promise<unknown>;
      let changeEach: LicenseStore['changeEach'];
      const limitOf = (key: typeof held) =>
        database.read((knex) => knex('licenses').where({ key }).first('max_domains'));
      before(async () => {
        const options = { url: url(), poolSize, statementTimeout: 15_000 };
        database = await openPostgres(options);
        verifier = openPostgresVerifier(options);
        const licenses = createSqlLicenseStore(database, verifier.verify);
        act = actOn(licenses);
        find = licenses.find;
        changeEach = licenses.changeEach;
        await outsider.query('TRUNCATE products RESTART IDENTITY CASCADE');
        const productId = await addProduct(createSqlProductStore(database), way);
        await act.issue(newLicense(held, productId), newLicense(other, productId));
        for (const key of [held, other]) await act.activate(key, shop, issuedAt);
      });
      beforeEach(() => outsider.query('BEGIN'));
      afterEach(() => outsider.query('ROLLBACK'));
      after(async () => {
        await verifier?.close();
        await database?.close();
      });

      const waiting = async () => {
        await outsider.query('SELECT pg_stat_clear_snapshot()'); // Otherwise it sees its first snapshot again.
        const { rows } = await outsider.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%update%'`,
        );
        return rows[0]?.count ?? 0;
      };

      const holds = {
        'its row': 'UPDATE licenses SET max_domains = max_domains WHERE key = $1',
        'one of its domains':
          'SELECT 1 FROM activations WHERE license_id = (SELECT id FROM licenses WHERE key = $1) FOR UPDATE',
      };
      for (const [what, statement] of Object.entries(holds)) {
        it(`delays no other request, even with more callers than connections: ${what}`, async () => {
          await outsider.query(statement, [held]);
          const began = performance.now();
          const refused = Array.from({ length: callers }, () =>
            act.activate(held, shop, issuedAt).then(outcome, (error: unknown) => error),
          );
          await eventually('one waits for the row', async () => (await waiting()) > 0);
          await database.check();
          await verifier.check();
          expect(outcome(await act.verify(other, shop, issuedAt))).to.equal('ok');
          expect(outcome(await act.activate(other, blog, issuedAt))).to.equal('ok');
          expect(await find(other))
            .to.have.property('domains')
            .with.length(2);
          for (const error of await Promise.all(refused)) expect(error).to.be.instanceOf(Unavailable);
          expect(performance.now() - began).to.be.below(bound);
          const together = [act.activate(held, shop, issuedAt), act.activate(other, shop, issuedAt)];
          expect(outcome(await together[1])).to.equal('ok');
          await eventually('the change of the locked license still waits', async () => (await waiting()) > 0);
          await outsider.query('ROLLBACK');
          expect(outcome(await together[0])).to.equal('ok');
        });
      }

      it('is left alone if many are changed, and the others are changed', async () => {
        await outsider.query(holds['its row'], [held]);
        const { max_domains: before } = await limitOf(other);
        const results = await changeEach([held, other], (license) => ({
          license: { ...license, maxDomains: license.maxDomains + 1 },
          event: event('license.changed', license.key, by, issuedAt),
        }));
        expect(results[0]).to.equal(undefined);
        expect(results[1]).to.have.nested.property('license.maxDomains', before + 1);
        expect(await limitOf(other)).to.deep.equal({ max_domains: before + 1 });
      });
    });
  }

  it('does not make the check fail, even while all connections of the pool are waiting', async () => {
    const database = await openPostgres({ url: server.url, poolSize: 2, statementTimeout: 15_000 });
    const { promise, resolve } = deferred();
    const works = Array.from({ length: 3 }, () => database.write(() => promise));
    try {
      await eventually('one waits for a connection', async () => database.pool().pending > 0);
      await database.check();
    } finally {
      resolve();
      await Promise.all(works);
      await database.close();
    }
  });
});
