import { expect } from 'chai';
import { copyDatabase } from '../../../adapters/sql/archive/backup.ts';
import { openSqlite } from '../../../adapters/sql/sqlite/database.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

describe('copy of a database for a backup', () => {
  itLong('has the credentials of users, but neither their sessions nor links', async () => {
    const folder = await makeTemporaryFolder();
    const [database, copy] = [folder.file('latchkey.db'), folder.file('copy.db')];
    const source = await openSqlite(database);
    await source.write(async (trx) => {
      await trx('users').insert({ name: 'Ada', email: 'ada@example.com', tier: 'free', created_at: 1 });
      await trx('credentials').insert({ user_id: 1, password_hash: 'hash', generation: 0 });
      const session = { user_id: 1, digest: 'd', generation: 0, browser: '', address: '' };
      await trx('sessions').insert({ ...session, started_at: 1, last_seen_at: 1, confirmed_at: 1 });
      await trx('one_time_links').insert({ digest: 'd', kind: 'set-up', purpose: '{}', expires_at: 1 });
    });
    const rowsIn = (opened: typeof source) =>
      opened.read((knex) =>
        Promise.all(['credentials', 'sessions', 'one_time_links'].map(async (name) => (await knex(name)).length)),
      );
    await copyDatabase(source, copy);
    expect(await rowsIn(source)).to.deep.equal([1, 1, 1]);
    await source.close();
    const copied = await openSqlite(copy);
    expect(await rowsIn(copied)).to.deep.equal([1, 0, 0]);
    await copied.close();
    await folder.remove();
  });
});
