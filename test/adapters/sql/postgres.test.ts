import { expect } from 'chai';
import pg from 'pg';
import { openPostgres, type PostgresDatabase } from '../../../adapters/sql/postgres/database.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { until } from '../../support/eventually.ts';
import { makeDatabase, makeSchema, postgresServer } from '../../support/postgres-backend.ts';
import { needing } from '../../support/required-service.ts';
import { runOnPostgres } from '../../support/run-on-postgres.ts';

needing(postgresServer.skip).describe('Postgres database', () => {
  let schema: Awaited<ReturnType<typeof makeSchema>>;
  let database: PostgresDatabase;
  before(async () => {
    schema = await makeSchema();
    database = await openPostgres({ url: schema.url, poolSize: 2, statementTimeout: 10_000 });
  });
  after(async () => {
    await database?.close();
    await schema?.drop();
  });

  /** Tries a write that Postgres refuses `times` times with the error `code`. Returns the number of attempts, or the error. */
  function writeRefused(code: string, times: number) {
    let attempts = 0;
    const done = database.write(async (trx) => {
      attempts++;
      if (attempts <= times) await trx.raw(`DO $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '${code}'; END $$`);
      return attempts;
    });
    return done.then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
  }

  describe('while another process brings the schema up to date', () => {
    let fresh: Awaited<ReturnType<typeof makeDatabase>>;
    let other: pg.Client;
    before(async () => {
      fresh = await makeDatabase();
      other = new pg.Client({ connectionString: fresh.url });
      await other.connect();
      await other.query('SELECT pg_advisory_lock(1279609416, hashtext(current_schema()))');
    });
    after(async () => {
      await other?.end();
      await fresh?.drop();
    });
    const open = (statementTimeout: number) => openPostgres({ url: fresh.url, poolSize: 2, statementTimeout });

    it('throws an error of one line after it has waited for four times the limit of a statement', async () => {
      const error = await open(100).then(String, (thrown: Error) => thrown);
      expect(error).to.have.property('name', 'MigrationBusy');
      expect(error)
        .to.have.property('message')
        .that.matches(/Another process.*advisory lock 1279609416/);
    });

    it('waits for it, and blocks nobody meanwhile', async () => {
      const opening = open(10_000);
      const tried = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%advisory_xact%'
        AND pid <> pg_backend_pid()`;
      const waiting = `SELECT 1 FROM pg_locks JOIN pg_database ON oid = database
        WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`;
      await until(async () => {
        expect((await other.query(waiting)).rows).to.deep.equal([]);
        return (await other.query(tried)).rows.length > 0;
      });
      await other.query('SELECT pg_advisory_unlock(1279609416, hashtext(current_schema()))');
      const opened = await opening;
      expect(opened.migrated).to.not.deep.equal([]);
      await opened.close();
    });

    it('does not wait if there is nothing to do', async () => {
      await other.query('SELECT pg_advisory_lock(1279609416, hashtext(current_schema()))');
      const opened = await open(100);
      expect(opened.migrated).to.deep.equal([]);
      await opened.close();
    });
  });

  it('does not block others while a step cannot get its lock, and applies the step when it can', async () => {
    const old = await makeSchema();
    const reader = new pg.Client({ connectionString: old.url });
    await reader.connect();
    try {
      await reader.query('CREATE TABLE schema_migrations (name text PRIMARY KEY, applied_at text)');
      await reader.query('BEGIN; LOCK TABLE schema_migrations IN SHARE MODE');
      const opening = openPostgres({ url: old.url, poolSize: 2, statementTimeout: 10_000 });
      const wanted = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'schema_migrations'::regclass`;
      const gaveWay = async () => (await runOnPostgres(old.url, wanted)).rows.length === 0;
      await until(async () => !(await gaveWay()));
      await until(gaveWay);
      await reader.query('COMMIT');
      await (await opening).close();
    } finally {
      await reader.end();
      await old.drop();
    }
  });

  for (const code of ['40001', '40P01']) {
    it(`repeats a write after a serialization failure or a deadlock (${code})`, async () => {
      expect(await writeRefused(code, 3)).to.deep.equal({ answer: 4 });
    });

    it(`throws Unavailable if every attempt fails like that (${code})`, async () => {
      const { error } = (await writeRefused(code, Number.POSITIVE_INFINITY)) as { error: unknown };
      expect(error).to.be.instanceOf(Unavailable);
      expect(error).to.have.nested.property('cause.code', code);
    });
  }

  for (const code of ['25006', '57P05', '26000', '42P05']) {
    it(`throws Unavailable without a second try for an error that concerns only this connection (${code})`, async () => {
      const { error } = (await writeRefused(code, 1)) as { error: unknown };
      expect(error).to.be.instanceOf(Unavailable);
      expect(error).to.have.nested.property('cause.code', code);
    });
  }

  it('throws the original error, and not Unavailable, if a unique key is taken every time', async () => {
    const { error } = (await writeRefused('23505', Number.POSITIVE_INFINITY)) as { error: unknown };
    expect(error).to.not.be.instanceOf(Unavailable);
    expect(error).to.have.property('code', '23505');
  });
});
