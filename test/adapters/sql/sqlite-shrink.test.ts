import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Database } from '../../../adapters/sql/database.ts';
import { closeConnection, execute, openConnection } from '../../../adapters/sql/sqlite/connection.ts';
import { openSqlite } from '../../../adapters/sql/sqlite/database.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

describe('the free pages of an SQLite file', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
  });
  afterEach(() => folder.remove());

  const value = async ({ read }: Pick<Database, 'read'>, pragma: string) => {
    const [row] = await read<Record<string, number>[]>((knex) => knex.raw(`PRAGMA ${pragma}`));
    return row?.[pragma];
  };
  /** Leaves about 2,500 free pages. */
  async function fillAndEmpty({ write }: Pick<Database, 'write'>): Promise<void> {
    await write(async (trx) => {
      await trx.schema.createTable('filler', (table) => void table.binary('content'));
      await trx.raw(
        `WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 10)
         INSERT INTO filler SELECT zeroblob(1000000) FROM n`,
      );
      await trx('filler').delete();
    });
  }

  itLong('go back to the disk in steps, except some for the next rows', async () => {
    const database = await openSqlite(folder.file('new.db'));
    try {
      await fillAndEmpty(database);
      const before = Number(await value(database, 'page_count'));
      const stopped = await database.shrink?.(AbortSignal.abort());
      expect([stopped, await value(database, 'page_count')]).to.deep.equal([0, before]);
      const returned = await database.shrink?.();
      expect(returned).to.be.above(1_000);
      expect(await value(database, 'freelist_count')).to.equal(1_000);
      expect(before - Number(await value(database, 'page_count'))).to.be.at.least(Number(returned));
      expect(await database.shrink?.()).to.equal(0);
    } finally {
      await database.close();
    }
  });

  itLong('stay in a file from before that; a copy of it gives them back', async () => {
    const file = folder.file('old.db');
    await writeFile(file, '');
    const first = await openConnection(file);
    await execute(first, 'PRAGMA journal_mode = WAL; CREATE TABLE older (id integer)');
    await closeConnection(first);
    const old = await openSqlite(file);
    try {
      await fillAndEmpty(old);
      expect([await value(old, 'auto_vacuum'), await old.shrink?.()]).to.deep.equal([0, 0]);
      await old.copyTo(folder.file('copy.db'));
    } finally {
      await old.close();
    }
    const copy = await openSqlite(folder.file('copy.db'));
    expect(await value(copy, 'auto_vacuum').finally(copy.close)).to.equal(2);
  });
});
