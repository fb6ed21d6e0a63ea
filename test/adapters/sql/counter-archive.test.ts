import { expect } from 'chai';
import { openSqlite, type SqliteDatabase } from '../../../adapters/sql/sqlite/database.ts';
import { createSqlCounterArchive } from '../../../adapters/sql/stores/counter-archive.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const now = Date.UTC(2026, 10, 20);
const counters = (resetAt: number) => Array.from({ length: 3_000 }, (_, n) => ({ id: `${n}`, used: 1, resetAt }));

describe('counter archive: turns', () => {
  let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
  let database: SqliteDatabase;
  before(async () => {
    folder = await makeTemporaryFolder();
    database = await openSqlite(folder.file('latchkey.db'));
  });
  after(async () => {
    await database.close();
    await folder.remove();
  });

  const rows = () => database.read(async (knex) => Number((await knex('counters').count({ n: '*' }))[0]?.n));

  itLong('lets another writer write after a few hundred rows, both when it saves and when it deletes', async () => {
    const archive = createSqlCounterArchive(database);
    const seen: number[] = [];
    const other = () =>
      database.write(async (trx) => seen.push(Number((await trx('counters').count({ n: '*' }))[0]?.n)));
    const saving = archive.save(counters(now + 10), now);
    await other();
    await saving;
    expect(await rows()).to.equal(3_000);
    const forgetting = archive.save([], now + 10);
    await other();
    await forgetting;
    expect(await rows()).to.equal(0);
    expect(seen[0]).to.be.within(1, 500);
    expect(seen[1]).to.be.within(2_500, 2_999);
  });
});
