import { expect } from 'chai';
import pg from 'pg';
import { withSnapshot } from '../../../adapters/sql/archive/archive.ts';
import { archivedTables } from '../../../adapters/sql/archive/tables.ts';
import { openPostgres } from '../../../adapters/sql/postgres/database.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import type { Stores } from '../../support/backends.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense, outcome } from '../../support/license-acts.ts';
import { type PgBouncer, type PoolMode, pgbouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { makeDatabase, openPostgresStores, postgresServer } from '../../support/postgres-backend.ts';
import { startDoor } from '../../support/postgres-door.ts';
import { needing } from '../../support/required-service.ts';
import { runOnPostgres } from '../../support/run-on-postgres.ts';

const ignored = 'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout';
const domains = ['a.example', 'b.example', 'c.example'].map(domain);
/** The number of processes, of concurrent callers in each, and of verifications by each caller. */
const [processes, callers, calls] = [3, 20, 30];
const options = (url: string) => ({ url, poolSize: 5, statementTimeout: 10_000 });

needing(postgresServer.skip ?? pgbouncer.skip).describe('Postgres behind PgBouncer', () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  before(async () => {
    database = await makeDatabase();
    // Latchkey's transactions must override it.
    await database.set('synchronous_commit = off');
  });
  after(() => database?.drop());

  const ways = { 'that refuses parameters of the session': [], 'that ignores parameters of the session': [ignored] };
  for (const [index, [way, settings]] of Object.entries(ways).entries()) {
    describe(way, () => {
      let bouncer: PgBouncer;
      /** There are fewer sessions than clients. In session mode, each busy client has its own session. */
      before(async () => {
        bouncer = await startPgBouncer(database.url, { transaction: 2, session: 8 }, settings);
      });
      after(() => bouncer?.[Symbol.asyncDispose]());

      for (const [number, mode] of (['transaction', 'session'] as const).entries()) {
        it(`counts every verification once in ${mode} mode, with fewer sessions than clients`, async () => {
          const key = keyNumber(10 * index + number);
          const opened = await Promise.all(
            Array.from({ length: processes }, () => openPostgresStores(bouncer.url(mode))),
          );
          try {
            await storm(opened, key);
          } finally {
            for (const stores of opened) await stores.close();
          }
        });
      }
    });
  }

  async function storm(opened: readonly Stores[], key: ReturnType<typeof keyNumber>): Promise<void> {
    const acts = opened.map(({ licenses }) => actOn(licenses));
    const [first] = acts;
    const [stores] = opened;
    if (first === undefined || stores === undefined) throw new Error('Nothing was opened.');
    await first.issue(newLicense(key, await addProduct(stores.products, `product-${key}`)));
    for (const one of domains) await first.activate(key, one, issuedAt);
    const answers = await Promise.all(
      acts.flatMap((act) =>
        Array.from({ length: callers }, async (_, caller) => {
          const seen = new Set<string>();
          for (let call = 0; call < calls; call++) {
            const site = domains[(caller + call) % domains.length] ?? domain('none.example');
            seen.add(outcome(await act.verify(key, site, issuedAt + call)));
          }
          // Reads through another pool at the same time.
          if (caller < 5) expect((await stores.licenses.find(key))?.domains).to.have.length(3);
          return seen;
        }),
      ),
    );
    for (const seen of answers) expect([...seen]).to.deep.equal(['ok']);
    const found = await stores.licenses.find(key);
    expect(found?.verifications.verificationCount).to.equal(processes * callers * calls);
    expect(found?.domains.map((one) => one.verificationCount)).to.deep.equal(
      domains.map(() => (processes * callers * calls) / domains.length),
    );
  }

  describe('in any mode', () => {
    let bouncer: PgBouncer;
    before(async () => {
      bouncer = await startPgBouncer(database.url, { transaction: 1, session: 1 }, [
        'query_wait_timeout = 1',
        'max_client_conn = 12',
      ]);
    });
    after(() => bouncer?.[Symbol.asyncDispose]());

    it('is distinguished from a direct connection', async () => {
      const connections = async (url: string) => {
        const opened = await openPostgres(options(url));
        await opened.close();
        return opened.connections;
      };
      expect(await connections(database.url)).to.equal('direct');
      for (const mode of ['transaction', 'session'] as PoolMode[]) {
        expect(await connections(bouncer.url(mode))).to.equal('pooled');
      }
    });

    it('applies the time limits and durability of a direct connection to each transaction, and resets them afterwards', async () => {
      const opened = await openPostgres(options(bouncer.url('transaction')));
      const asked = ['statement_timeout', 'idle_in_transaction_session_timeout', 'synchronous_commit'];
      const settings = async (run: (text: string) => PromiseLike<{ rows: readonly Record<string, string>[] }>) =>
        Object.values(
          (await run(`SELECT ${asked.map((name) => `current_setting('${name}') AS ${name}`)}`)).rows[0] ?? {},
        );
      const written = await opened.write((trx) => settings((text) => trx.raw(text)));
      const read = await opened.read((knex) => settings((text) => knex.raw(text)));
      await opened.close();
      expect(written).to.deep.equal(['10s', '10s', 'on']);
      expect(read.slice(0, 2)).to.deep.equal(['10s', '10s']);
      // The pool has only one session, so this is the same one.
      const left = await settings((text) => runOnPostgres(bouncer.url('transaction'), text));
      expect(left).to.deep.equal(['0', '0', 'off']);
    });

    it('exports the state at one moment', async () => {
      const opened = await openPostgres(options(bouncer.url('transaction')));
      const users = archivedTables.find(({ name }) => name === 'users');
      const add = (name: string) =>
        `INSERT INTO users (name, email, tier, created_at) VALUES ('${name}', '${name}@x.example', 'free', 1)`;
      await runOnPostgres(database.url, add('ada'));
      const names = await withSnapshot(opened, async ({ rows }) => {
        await runOnPostgres(database.url, add('bob'));
        const found: unknown[] = [];
        if (users) for await (const page of rows(users)) found.push(...page.map(({ name }) => name));
        return found;
      });
      expect(names).to.deep.equal(['ada']);
      expect(await opened.read((knex) => knex('users').pluck('name'))).to.deep.equal(['ada', 'bob']);
      await opened.close();
    });

    it('is recognized and works if it is put in front of the server later', async () => {
      await using door = await startDoor(database.url);
      const stores = await openPostgresStores(door.url);
      const act = actOn(stores.licenses);
      const key = keyNumber(50);
      await act.issue(newLicense(key, await addProduct(stores.products, 'later')));
      await act.activate(key, domains[0] ?? domain('a.example'), issuedAt);
      const verify = () => act.verify(key, domains[0] ?? domain('a.example'), issuedAt).then(outcome, () => 'out');
      expect(await verify()).to.equal('ok');
      door.leadTo(bouncer.url('transaction'));
      while ((await verify()) !== 'ok');
      for (;;) {
        const found = await stores.licenses.find(key).catch((error: unknown) => error);
        if (found instanceof Unavailable) continue;
        expect(found).to.have.nested.property('verifications.verificationCount', 2);
        break;
      }
      await stores.close();
    });

    it('keeps no setting of ours in its session if it is put in front of the server later and ignores parameters', async () => {
      await using ignoring = await startPgBouncer(database.url, { transaction: 1, session: 1 }, [ignored]);
      await using door = await startDoor(database.url);
      const stores = await openPostgresStores(door.url);
      const verify = () => actOn(stores.licenses).verify(keyNumber(60), domain('a.example'), issuedAt);
      const works = (work: Promise<unknown>) => work.then(() => true).catch(() => false);
      const canWork = async () => (await works(verify())) && (await works(stores.licenses.find(keyNumber(60))));
      expect(await canWork()).to.equal(true);
      door.leadTo(ignoring.url('transaction'));
      while (!(await canWork()));
      const shown = ['lock_timeout', 'enable_seqscan', 'enable_hashjoin', 'synchronous_commit'];
      const asked = `SELECT ${shown.map((name) => `current_setting('${name}') AS ${name}`)}`;
      const { rows } = await runOnPostgres(door.url, asked);
      await stores.close();
      expect(Object.values(rows[0] ?? {})).to.deep.equal(['0', 'on', 'on', 'off']);
    });

    it('causes a temporary outage if it has no free session or accepts no more clients', async () => {
      const stores = await openPostgresStores(bouncer.url('transaction'));
      const failures = async () => {
        const all = [
          stores.licenses.find(keyNumber(1)),
          actOn(stores.licenses).verify(keyNumber(1), domain('a.example'), 1),
        ];
        return await Promise.all(all.map((one) => Promise.resolve(one).then(outcome, (error: unknown) => error)));
      };
      await failures();
      const holder = new pg.Client(bouncer.url('transaction'));
      await holder.connect();
      await holder.query('BEGIN');
      for (const error of await failures()) expect(error).to.be.instanceOf(Unavailable);
      await holder.end();
      expect((await failures()).map(String)).to.deep.equal(['ok', 'ok']);
      await stores.close();

      const clients = Array.from({ length: 12 }, () =>
        new pg.Client(bouncer.url('session')).on('error', () => undefined),
      );
      await Promise.allSettled(clients.map((client) => client.connect()));
      const error = await openPostgres(options(bouncer.url('transaction'))).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(Unavailable);
      await Promise.all(clients.map((client) => client.end()));
    });
  });
});
