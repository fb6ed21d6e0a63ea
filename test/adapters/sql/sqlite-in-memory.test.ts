import { expect } from 'chai';
import type { Database } from '../../../adapters/sql/database.ts';
import { openSqlite } from '../../../adapters/sql/sqlite/database.ts';
import { openInMemoryVerifier, openSqliteInMemory } from '../../../adapters/sql/sqlite/in-memory.ts';
import { deferred } from '../../support/deferred.ts';
import { openStoresInMemory } from '../../support/in-memory.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense } from '../../support/license-acts.ts';
import { itLong } from '../../support/required-service.ts';
import { sqlStores } from '../../support/sql-stores.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const user = { name: 'Ada', email: 'ada@example.com', tier: 'free', created_at: 1 };
const names = ({ read }: Database) => read((knex) => knex('users').pluck('name'));

/**
 * Returns the definitions of tables, indexes and triggers, the applied migrations, and the settings of the connection.
 */
async function schemaOf({ read, migrated }: Database) {
  const schema = await read((knex) => knex('sqlite_schema').select('type', 'name', 'tbl_name', 'sql').orderBy('name'));
  const steps = await read((knex) => knex('schema_migrations').orderBy('name').pluck('name'));
  return { schema, steps, migrated, settings: await read((knex) => knex.raw('PRAGMA foreign_keys')) };
}

describe('SQLite in memory', () => {
  let database: Database;
  beforeEach(async () => {
    database = await openSqliteInMemory();
  });
  afterEach(() => database.close());

  itLong('has the same schema as a file with all migrations, also if it gets the schema in one step', async () => {
    const folder = await makeTemporaryFolder();
    const file = await openSqlite(folder.file('latchkey.db'));
    try {
      const second = await openSqliteInMemory();
      const expected = await schemaOf(file);
      for (const one of [database, second]) expect(await schemaOf(one)).to.deep.equal(expected);
      await second.close();
    } finally {
      await file.close();
      await folder.remove();
    }
  });

  it('is empty, separate from all others, and not a file', async () => {
    await using other = await openStoresInMemory();
    await addProduct(other.products);
    expect(await database.read((knex) => knex('products').select('id'))).to.deep.equal([]);
    const files: { file: string }[] = await database.read((knex) => knex.raw('PRAGMA database_list'));
    expect(files.map(({ file }) => file)).to.deep.equal(['']);
  });

  it('does not show the changes of an unfinished transaction to reads', async () => {
    const [inserted, go] = [deferred<void>(), deferred<void>()];
    const writing = database.write(async (trx) => {
      await trx('users').insert(user);
      inserted.resolve();
      await go.promise;
      await trx('users').update({ name: 'Eve' });
    });
    await inserted.promise;
    const reading = names(database);
    go.resolve();
    await writing;
    expect(await reading).to.deep.equal(['Eve']);
  });

  it('rolls back a transaction that fails, and runs the next one', async () => {
    const failure = new Error('The work failed.');
    const failing = database.write(async (trx) => {
      await trx('users').insert(user);
      throw failure;
    });
    const [thrown, seen] = await Promise.all([failing.catch((error) => error), names(database)]);
    expect([thrown, seen]).to.deep.equal([failure, []]);
    const refused = await database.write((trx) => trx('users').insert([user, user])).catch((error) => error);
    expect(refused).to.have.property('code', 'SQLITE_CONSTRAINT');
    await database.write((trx) => trx('users').insert(user));
    expect(await names(database)).to.deep.equal(['Ada']);
  });

  it('keeps verifications that are counted during a transaction that is rolled back', async () => {
    const verifier = openInMemoryVerifier(database);
    const { licenses, products } = sqlStores(database, verifier);
    const act = actOn(licenses);
    const [key, name] = [keyNumber(1), domain('a.example')];
    await act.issue(newLicense(key, await addProduct(products)));
    await act.activate(key, name, issuedAt);
    for (let time = 1; time <= 3; time++) {
      const [begun, go] = [deferred<void>(), deferred<void>()];
      const failing = database.write(async (trx) => {
        await trx('licenses').update({ standing: 'suspended' });
        begun.resolve();
        await go.promise;
        throw new Error('The work failed.');
      });
      const ended = failing.catch(() => undefined);
      await begun.promise;
      const verifying = act.verify(key, name, issuedAt + time);
      go.resolve();
      await ended;
      expect(await verifying).to.include({ kind: 'valid' });
    }
    await verifier.close();
    const found = await licenses.find(key);
    expect(found?.verifications).to.deep.equal({ verificationCount: 3, lastVerifiedAt: issuedAt + 3 });
  });
});
