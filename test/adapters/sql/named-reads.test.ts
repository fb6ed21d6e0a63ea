import { expect } from 'chai';
import type { Knex } from 'knex';
import { builtOnce } from '../../../adapters/sql/built-once.ts';
import { openPostgres, type PostgresDatabase } from '../../../adapters/sql/postgres/database.ts';
import { pgbouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { makeDatabase, postgresServer } from '../../support/postgres-backend.ts';
import { needing } from '../../support/required-service.ts';
import { runOnPostgres } from '../../support/run-on-postgres.ts';

const notes = builtOnce<'', object[], [string]>((knex, _, text) => knex('notes').where({ text }));
const prepared = (knex: Knex) => knex('pg_prepared_statements').where('statement', 'like', '%"notes"%');
const migrate = 'ALTER TABLE notes ADD COLUMN IF NOT EXISTS size integer';

needing(postgresServer.skip).describe('reads that Postgres keeps prepared', () => {
  let made: Awaited<ReturnType<typeof makeDatabase>>;
  let database: PostgresDatabase;
  beforeEach(async () => {
    made = await makeDatabase();
    database = await openPostgres({ url: made.url, poolSize: 1, statementTimeout: 10_000 });
    await runOnPostgres(made.url, "CREATE TABLE notes (text text); INSERT INTO notes VALUES ('a'), ('b')");
  });
  afterEach(async () => {
    await database?.close();
    await made?.drop();
  });

  it('are prepared once in each session, and return the rows of each call', async () => {
    for (const text of ['a', 'b', 'a', 'c']) {
      expect(await database.read((knex) => notes(knex, '', text))).deep.equal(text === 'c' ? [] : [{ text }]);
    }
    expect(await database.read(prepared)).to.have.length(1);
  });

  it('go on after a newer version has added a column', async () => {
    const read = () => database.read((knex) => Promise.all(['a', 'b'].map((text) => notes(knex, '', text))));
    expect(await read()).deep.equal([[{ text: 'a' }], [{ text: 'b' }]]);
    await runOnPostgres(made.url, migrate);
    for (let n = 0; n < 3; n++) {
      expect(await read()).deep.equal([[{ text: 'a', size: null }], [{ text: 'b', size: null }]]);
    }
  });

  it('go on after the session has forgotten them', async () => {
    const read = () => database.read((knex) => notes(knex, '', 'a'));
    await read();
    await database.read((knex) => knex.raw('DEALLOCATE ALL'));
    for (let n = 0; n < 3; n++) expect(await read()).deep.equal([{ text: 'a' }]);
  });

  it('do not break a transaction, in which a statement that failed could not be repeated', async () => {
    await database.read((knex) => notes(knex, '', 'a'));
    await runOnPostgres(made.url, migrate);
    const rows = await database.write(async (trx) => await notes(trx, '', 'a'));
    expect(rows).deep.equal([{ text: 'a', size: null }]);
  });

  needing(pgbouncer.skip).it('are not prepared behind a pooler, whose sessions belong to others too', async () => {
    await using bouncer = await startPgBouncer(made.url, { transaction: 1, session: 1 }, []);
    const pooled = await openPostgres({ url: bouncer.url('transaction'), poolSize: 2, statementTimeout: 10_000 });
    for (const text of ['a', 'b']) expect(await pooled.read((knex) => notes(knex, '', text))).deep.equal([{ text }]);
    expect(await pooled.read(prepared)).deep.equal([]);
    await pooled.close();
  });
});
