import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { archivedTables } from '../../../adapters/sql/archive/tables.ts';
import { busyTimeout, logLimit } from '../../../adapters/sql/sqlite/connection.ts';
import { withSqliteCopy } from '../../../adapters/sql/sqlite/copy.ts';
import { openSqlite, type SqliteDatabase } from '../../../adapters/sql/sqlite/database.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { openRaw } from '../../support/raw-sqlite.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

describe('SQLite database', () => {
  let folder: TemporaryFolder;
  let file: string;
  let database: SqliteDatabase;

  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    file = folder.file('data/deeper/latchkey.db');
    database = await openSqlite(file);
  });
  afterEach(async () => {
    await database.close();
    await folder.remove();
  });

  const pragma = async (name: string) => {
    const [row] = await database.read((knex) => knex.raw<Record<string, unknown>[]>(`PRAGMA ${name}`));
    return Object.values(row ?? {})[0];
  };
  const users = async () => await database.read((knex) => knex('users').orderBy('id').pluck('name'));
  const user = (name: string) => ({ name, email: `${name}@example.com`, tier: 'free', created_at: 1 });
  const thrownBy = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

  itLong('creates the file and its folders', async () => {
    expect(database.file).to.equal(file);
    expect(await users()).to.deep.equal([]);
  });

  itLong('survives a crash of the machine, allows reads during a write, and enforces foreign keys', async () => {
    expect(await pragma('journal_mode')).to.equal('wal');
    expect(await pragma('synchronous')).to.equal(2);
    expect(await pragma('foreign_keys')).to.equal(1);
    expect(await pragma('busy_timeout')).to.equal(busyTimeout);
  });

  itLong('throws an error other than Unavailable if a row breaks a foreign key', async () => {
    const orphan = { slug: 'jar', title: 'Jar', owner_id: 41, created_at: 1 };
    const error = await thrownBy(database.write(async (trx) => await trx('products').insert(orphan)));
    expect(error).to.be.an('error').with.property('message').that.includes('FOREIGN KEY');
    expect(error).to.not.be.instanceOf(Unavailable);
  });

  itLong('rolls back a write that throws, throws the same error, and makes the next write', async () => {
    await database.write(async (trx) => await trx('users').insert(user('ada')));
    const broken = new Error('broken');
    const thrown = await thrownBy(
      database.write(async (trx) => {
        await trx('users').insert(user('bob'));
        await trx('users').where({ name: 'ada' }).delete();
        throw broken;
      }),
    );
    expect(thrown).to.equal(broken);
    expect(await users()).to.deep.equal(['ada']);
    await database.write(async (trx) => await trx('users').insert(user('eve')));
    expect(await users()).to.deep.equal(['ada', 'eve']);
  });

  itLong('rolls back a write if the database refuses its last statement', async () => {
    const thrown = await thrownBy(
      database.write(async (trx) => {
        await trx('users').insert(user('ada'));
        await trx('users').insert(user('ada'));
      }),
    );
    expect(thrown).to.be.an('error').with.property('code', 'SQLITE_CONSTRAINT');
    expect(await users()).to.deep.equal([]);
  });

  itLong('lets no other write happen between the reads and the writes of a write', async () => {
    const other = await openSqlite(file);
    try {
      await database.write(async (trx) => await trx('users').insert(user('0')));
      const increment = (by: SqliteDatabase) =>
        by.write(async (trx) => {
          const [name] = await trx('users').pluck('name');
          await trx('users').update({ name: String(Number(name) + 1) });
        });
      await Promise.all(Array.from({ length: 40 }, (_, n) => increment(n % 2 === 0 ? database : other)));
      expect(await users()).to.deep.equal(['40']);
    } finally {
      await other.close();
    }
  });

  itLong('holds the write lock from the start of a write, before its first statement', async () => {
    const raw = await openRaw(file);
    try {
      await database.write(async () => {
        expect(await thrownBy(raw.run('BEGIN IMMEDIATE'))).to.have.property('code', 'SQLITE_BUSY');
      });
      await raw.run('BEGIN IMMEDIATE; COMMIT');
    } finally {
      await raw.close();
    }
  });

  describe('while another program holds the write lock', () => {
    let other: Awaited<ReturnType<typeof openRaw>>;

    beforeEach(async () => {
      other = await openRaw(file);
      await other.run(
        "BEGIN IMMEDIATE; INSERT INTO users (id, name, email, tier, created_at) VALUES (9, 'unsaved', 'x', 'free', 1)",
      );
      await database.read((knex) => knex.raw('PRAGMA busy_timeout = 20'));
    });
    afterEach(() => other.close());

    itLong('reads what was saved before', async () => {
      expect(await users()).to.deep.equal([]);
    });

    itLong('throws Unavailable if it waits too long, and writes when the other program is done', async () => {
      const insert = () => database.write(async (trx) => await trx('users').insert(user('ada')));
      const error = await thrownBy(insert());
      expect(error).to.be.instanceOf(Unavailable);
      expect(error).to.have.nested.property('cause.code', 'SQLITE_BUSY');
      await other.run('ROLLBACK');
      await insert();
      expect(await users()).to.deep.equal(['ada']);
    });
  });

  itLong('shrinks its log again after another program has read an old snapshot for a long time', async () => {
    const reader = await openRaw(file);
    const log = async () => (await stat(`${file}-wal`)).size;
    const write = (name: string, bytes: number) =>
      database.write(async (trx) => await trx('settings').insert({ name, value: 'x'.repeat(bytes) }));
    await write('first', 1);
    await reader.run('BEGIN; SELECT * FROM settings');
    for (let n = 0; n < 10; n++) await write(`large ${n}`, logLimit / 8);
    expect(await log()).to.be.greaterThan(logLimit);
    await reader.run('COMMIT');
    await reader.close();
    await write('causes a checkpoint', 1);
    await write('starts the log again', 1);
    expect(await log()).to.be.at.most(logLimit);
  });

  itLong(
    'exports the state at one moment from a copy, so that the log of the database can still be checkpointed',
    async () => {
      await database.write(async (trx) => await trx('users').insert(user('ada')));
      const copy = folder.file('copy.db');
      const users = archivedTables.find(({ name }) => name === 'users');
      await withSqliteCopy(database, copy, async ({ rows }) => {
        await database.write(async (trx) => await trx('users').insert(user('bob')));
        const [folded] = await database.read((knex) => knex.raw<object[]>('PRAGMA wal_checkpoint(TRUNCATE)'));
        expect(folded).to.deep.equal({ busy: 0, log: 0, checkpointed: 0 });
        const names: unknown[] = [];
        if (users) for await (const page of rows(users)) names.push(...page.map(({ name }) => name));
        expect(names).to.deep.equal(['ada']);
      });
      expect(existsSync(copy)).to.equal(false);
    },
  );

  itLong(
    'throws an error for a file that is not a database, prints nothing, and does not change the file',
    async () => {
      const letter = folder.file('letter.txt');
      const text = 'Dear Sir or Madam, '.repeat(300);
      await writeFile(letter, text);
      const printed: unknown[] = [];
      const { log } = console;
      console.log = (...line: unknown[]) => printed.push(...line);
      const error = await thrownBy(openSqlite(letter)).finally(() => {
        console.log = log;
      });
      expect(printed).to.deep.equal([]);
      expect(error).to.have.property('code', 'SQLITE_NOTADB');
      expect(await readFile(letter, 'utf8')).to.equal(text);
    },
  );
});
