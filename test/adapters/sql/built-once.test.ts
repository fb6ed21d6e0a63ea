import { expect } from 'chai';
import type { Knex } from 'knex';
import { builtOnce } from '../../../adapters/sql/built-once.ts';
import type { Database } from '../../../adapters/sql/database.ts';
import { inOneRow, type PackedRows, packed, unpacked } from '../../../adapters/sql/packed-rows.ts';
import { openPostgres } from '../../../adapters/sql/postgres/database.ts';
import { openSqliteInMemory } from '../../../adapters/sql/sqlite/in-memory.ts';
import { makeDatabase, postgresServer } from '../../support/postgres-backend.ts';
import { needing } from '../../support/required-service.ts';

const byEmail = builtOnce<'first' | 'all', unknown, [string]>((knex, shape, email) => {
  const found = knex('users').select('name', 'email', 'tier').where({ email });
  return shape === 'first' ? found.first() : found;
});
const broken = builtOnce<'', unknown, [string]>((knex, _, text) => knex('no_such_table').where({ text }));
const cellsByEmail = builtOnce<'', PackedRows[], [string]>((knex, _, email) =>
  knex('users')
    .select(packed(knex, ['name', 'email', 'created_at', 'role']))
    .where({ email }),
);
const newestNames = builtOnce<number, PackedRows[], [string]>((knex, count, email) => {
  const users = knex('users')
    .select(packed(knex, ['name', 'email']))
    .where('email', '<>', email);
  return inOneRow(knex, users.orderBy('id', 'desc').limit(count));
});

const postgres = async () => {
  const made = await makeDatabase();
  const database = await openPostgres({ url: made.url, poolSize: 1, statementTimeout: 10_000 });
  return { database, close: () => database.close().finally(() => made.drop()) };
};
const sqlite = async () => {
  const database = await openSqliteInMemory();
  return { database, close: () => database.close() };
};

for (const { name, open, skip } of [
  { name: 'SQLite', open: sqlite, skip: undefined },
  { name: 'Postgres', open: postgres, skip: postgresServer.skip },
]) {
  needing(skip).describe(`reads that are built once: ${name}`, () => {
    let database: Database;
    let close: () => Promise<unknown>;
    before(async () => {
      ({ database, close } = await open());
    });
    after(() => close());

    const user = { name: 'Ada "⚷" \\ <b>\n', email: 'ada@example.com', tier: 'free', created_at: 1_800_000_000_123 };

    it('return what knex returns, also inside a transaction', async () => {
      await database.write((trx) => trx('users').insert(user));
      const { name, email, tier } = user;
      for (const within of [database.read, database.write<unknown>]) {
        const read = (shape: 'first' | 'all', wanted: string) =>
          (within as <T>(work: (knex: Knex) => PromiseLike<T>) => Promise<T>)((knex) => byEmail(knex, shape, wanted));
        expect(await read('all', email)).to.deep.equal([{ name, email, tier }]);
        expect(await read('first', email)).to.deep.equal({ name, email, tier });
        expect(await read('first', 'nobody@example.com')).to.equal(undefined);
      }
    });

    it('unpack the cells as they are', async () => {
      const rows = await database.read((knex) => cellsByEmail(knex, '', user.email));
      expect(unpacked(rows)).to.deep.equal([[user.name, user.email, user.created_at, null]]);
    });

    it('unpack all rows of one row in their order, and no row of none', async () => {
      const names = Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? `],["${n}"` : `${n}, \\`));
      const users = names.map((name, n) => ({ ...user, name, email: `${n}@example.com` }));
      await database.write((trx) => trx('users').insert(users));
      const read = async (count: number) =>
        unpacked(await database.read((knex) => newestNames(knex, count, user.email)));
      const newest = users.map(({ name, email }) => [name, email]).toReversed();
      expect(await read(1)).to.deep.equal(newest.slice(0, 1));
      expect(await read(20)).to.deep.equal(newest.slice(0, 20));
      expect(await read(50)).to.deep.equal(newest);
      await database.write((trx) => trx('users').whereNot({ email: user.email }).delete());
      expect(await read(20)).to.deep.equal([]);
    });

    it('give their connection back and tell the statement without its values, if they fail', async () => {
      for (let again = 0; again < 3; again++) {
        const error = await database.read((knex) => broken(knex, '', 'a secret')).then(String, (error: Error) => error);
        expect(error).to.be.an('error').with.property('message').that.contains('no_such_table').and.contains(' - ');
        expect(String(error)).to.not.contain('a secret');
      }
      expect(await database.read((knex) => byEmail(knex, 'first', user.email))).to.include({ tier: 'free' });
    });
  });
}
