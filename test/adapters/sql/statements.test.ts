import { promisify } from 'node:util';
import { expect } from 'chai';
import sqlite3 from 'sqlite3';
import { closeConnection, execute } from '../../../adapters/sql/sqlite/connection.ts';
import { keepStatements } from '../../../adapters/sql/sqlite/statements.ts';
import { errorOf } from '../../support/error-of.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

describe('a connection to SQLite that keeps its statements', () => {
  let connection: sqlite3.Database;
  let prepared: string[];
  beforeEach(async () => {
    connection = new sqlite3.Database(':memory:');
    prepared = [];
    const { prepare } = connection;
    Object.assign(connection, {
      prepare(sql: string, ...rest: unknown[]) {
        prepared.push(sql);
        return Reflect.apply(prepare, connection, [sql, ...rest]);
      },
    });
    keepStatements(connection);
    await execute(connection, 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)');
  });
  afterEach(() => closeConnection(connection));

  const all = (sql: string, values: unknown[] = []) =>
    promisify<string, unknown[], unknown[]>(connection.all.bind(connection))(sql, values);
  const run = (sql: string, values: unknown[] = []) =>
    new Promise<Pick<sqlite3.RunResult, 'lastID' | 'changes'>>((resolve, reject) => {
      connection.run(sql, values, function (error) {
        if (error) reject(error);
        else resolve({ lastID: this.lastID, changes: this.changes });
      });
    });
  const add = 'INSERT INTO notes (text) VALUES (?)';
  const find = 'SELECT * FROM notes WHERE text = ?';

  it('prepares a read once, and returns the rows, the id and the changes of each call', async () => {
    for (const [n, text] of ['a', 'b', 'c'].entries()) {
      expect(await run(add, [text])).to.include({ lastID: n + 1, changes: 1 });
      expect(await all(find, [text])).to.deep.equal([{ id: n + 1, text }]);
    }
    expect(await all(find, ['d'])).to.deep.equal([]);
    expect(prepared).to.deep.equal([find]);
  });

  it('keeps calls of the same text at the same time apart', async () => {
    const texts = Array.from({ length: 50 }, (_, n) => `note ${n}`);
    await Promise.all(texts.map((text) => run(add, [text])));
    const found = await Promise.all(texts.map((text) => all(find, [text])));
    expect(found.flat().map((row) => (row as { text: string }).text)).to.deep.equal(texts);
  });

  it('reports each error, and works after it', async () => {
    for (let n = 0; n < 3; n++) {
      expect(String(await errorOf(all('SELECT * FROM missing')))).to.include('no such table: missing');
      expect(String(await errorOf(run(add, [null])))).to.include('NOT NULL');
    }
    expect(await run(add, ['a'])).to.include({ changes: 1 });
    await execute(connection, 'CREATE TABLE missing (id INTEGER)');
    expect(await all('SELECT * FROM missing')).to.deep.equal([]);
  });

  it('keeps no read that failed on a lock: those after it see what others have changed meanwhile', async () => {
    const folder = await makeTemporaryFolder();
    const file = folder.file('shared.db');
    const open = () => new sqlite3.Database(file);
    const [reader, writer] = [open(), open()];
    try {
      const rows = (sql: string) => promisify<string, unknown[], unknown[]>(reader.all.bind(reader))(sql, []);
      await execute(writer, 'CREATE TABLE notes (id INTEGER PRIMARY KEY); INSERT INTO notes VALUES (1)');
      await execute(reader, 'PRAGMA busy_timeout = 0');
      keepStatements(reader);
      const count = 'SELECT count(*) AS n FROM notes';
      expect(await rows(count)).to.deep.equal([{ n: 1 }]);
      for (let n = 2; n < 5; n++) {
        await execute(writer, 'BEGIN EXCLUSIVE');
        expect(String(await errorOf(rows(count)))).to.include('SQLITE_BUSY');
        await execute(writer, `INSERT INTO notes VALUES (${n}); COMMIT`);
        expect(await rows('SELECT max(id) AS n FROM notes')).to.deep.equal([{ n }]);
        expect(await rows(count)).to.deep.equal([{ n }]);
      }
    } finally {
      await Promise.all([reader, writer].map(closeConnection));
      await folder.remove();
    }
  });

  it('uses the schema as it is at each call', async () => {
    await run(add, ['a']);
    expect(await all(find, ['a'])).to.deep.equal([{ id: 1, text: 'a' }]);
    await execute(connection, "ALTER TABLE notes ADD COLUMN language TEXT DEFAULT 'en'");
    expect(await all(find, ['a'])).to.deep.equal([{ id: 1, text: 'a', language: 'en' }]);
    await execute(connection, 'DROP TABLE notes');
    expect(String(await errorOf(all(find, ['a'])))).to.include('no such table');
  });

  itLong('prepares again what was not used for long, and can be closed afterwards', async () => {
    // More than are kept, so the second round prepares all again.
    for (const _ of [1, 2]) {
      for (let n = 0; n < 300; n++) expect(await all(`SELECT ${n} AS n`)).to.deep.equal([{ n }]);
    }
    expect(prepared).to.have.lengthOf(600);
  });
});
