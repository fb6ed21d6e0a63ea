import { expect } from 'chai';
import { openPostgres, type PostgresDatabase } from '../../../adapters/sql/postgres/database.ts';
import { isRefusedCommit } from '../../../adapters/sql/transact.ts';
import { OutcomeUnknown } from '../../../core/outcome-unknown.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { postgresServer } from '../../support/postgres-backend.ts';
import { usePostgresProxy } from '../../support/postgres-proxy.ts';
import { needing } from '../../support/required-service.ts';

needing(postgresServer.skip).describe('a write on Postgres whose connection is cut', () => {
  const postgres = usePostgresProxy();
  let database: PostgresDatabase;

  beforeEach(async () => {
    database = await openPostgres({ url: postgres.proxy.url, poolSize: 2, statementTimeout: 10_000 });
  });
  afterEach(async () => {
    await database?.close();
  });

  let works = 0;
  const addUser = () => {
    works = 0;
    return database
      .write(async (trx) => {
        works++;
        await trx('users').insert({ name: 'Ada', email: 'ada@example.com', tier: 'free', created_at: 1 });
      })
      .then(() => undefined)
      .catch((error: unknown) => error);
  };
  const users = () => database.read((knex) => knex('users').pluck('name'));
  const inserting = 'insert into "users"';

  it('throws OutcomeUnknown, and is not repeated, if the answer to its COMMIT is lost', async () => {
    const cut = postgres.proxy.atCommitOf(inserting, 'answer lost');
    const error = await addUser();
    await cut;
    expect(error).to.be.instanceOf(OutcomeUnknown);
    expect(error).to.have.nested.property('cause.message').that.includes('terminated');
    expect(works).to.equal(1);
    expect(await users()).to.deep.equal(['Ada']);
  });

  it('throws OutcomeUnknown if its COMMIT never reached the server, because the client cannot know that', async () => {
    const cut = postgres.proxy.atCommitOf(inserting, 'never sent');
    expect(await addUser()).to.be.instanceOf(OutcomeUnknown);
    await cut;
    expect(await users()).to.deep.equal([]);
  });

  it('throws OutcomeUnknown if the server executes its COMMIT later', async () => {
    const cut = postgres.proxy.atCommitOf(inserting, 'sent late');
    expect(await addUser()).to.be.instanceOf(OutcomeUnknown);
    expect(await users()).to.deep.equal([]);
    const deliver = await cut;
    await deliver();
    expect(await users()).to.deep.equal(['Ada']);
  });

  it('throws Unavailable if it had not sent its COMMIT, because nothing was written', async () => {
    const cut = postgres.proxy.cutAt(inserting);
    expect(await addUser()).to.be.instanceOf(Unavailable);
    await cut;
    expect(await users()).to.deep.equal([]);
  });

  it('throws the error of Postgres if Postgres refuses the COMMIT, because nothing was written', async () => {
    await database.write(async (trx) => {
      await trx.raw('CREATE TABLE pairs (one integer PRIMARY KEY, other integer)');
      await trx.raw('ALTER TABLE pairs ADD FOREIGN KEY (other) REFERENCES pairs (one) DEFERRABLE INITIALLY DEFERRED');
    });
    const error = await database
      .write(async (trx) => await trx('pairs').insert({ one: 1, other: 2 }))
      .catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', '23503');
    expect(error).to.not.be.instanceOf(OutcomeUnknown);
    expect(await database.read((knex) => knex('pairs').pluck('one'))).to.deep.equal([]);
  });
});

describe('a COMMIT', () => {
  const failed = (code: string) => Object.assign(new Error('failed'), { code });

  it('was refused exactly if the error code is one that the database returns only before it has committed', () => {
    for (const code of ['23505', '23503', '40001', '40P01', '57014', '25P02', '42501', 'P0001']) {
      expect(isRefusedCommit(failed(code)), code).to.equal(true);
    }
    for (const code of ['SQLITE_BUSY', 'SQLITE_FULL', 'SQLITE_CONSTRAINT']) {
      expect(isRefusedCommit(failed(code)), code).to.equal(true);
    }
    for (const code of [
      '57P01',
      '57P02',
      '08006',
      '08007',
      '40003',
      '53100',
      '58030',
      'XX000',
      'ECONNRESET',
      'EPIPE',
    ]) {
      expect(isRefusedCommit(failed(code)), code).to.equal(false);
    }
    for (const error of [failed('SQLITE_IOERR'), new Error('Connection terminated unexpectedly'), 'text', undefined]) {
      expect(isRefusedCommit(error)).to.equal(false);
    }
  });
});
