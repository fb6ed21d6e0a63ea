import { expect } from 'chai';
import { createShortTurns } from '../../../adapters/sql/paced-writes.ts';
import { openSqlite, type SqliteDatabase } from '../../../adapters/sql/sqlite/database.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { deferred } from '../../support/deferred.ts';
import { addProduct, keyNumber, newLicense } from '../../support/license-acts.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

describe('the parts of long writes on SQLite', () => {
  let folder: TemporaryFolder;
  let database: SqliteDatabase;
  let log: string[];
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    database = await openSqlite(folder.file('latchkey.db'));
    log = [];
  });
  afterEach(async () => {
    await database.close();
    await folder.remove();
  });

  const part = (name: string, until?: Promise<void>) => {
    const begun = deferred();
    const done = createShortTurns(database).take(1, async () => {
      begun.resolve();
      await until;
      log.push(name);
    });
    return { begun: begun.promise, done };
  };
  const write = (name: string) => database.write(async () => void log.push(name));

  itLong('let a count in after the one that runs, then short writes, and only then the next part', async () => {
    const held = deferred();
    const first = part('ada 1', held.promise);
    await first.begun;
    const others = ['bob 1', 'ada 2', 'bob 2'].map((name) => part(name).done);
    const short = ['short 1', 'short 2'].map(write);
    const count = database.turns(async () => void log.push('count'), 'first');
    held.resolve();
    await Promise.all([first.done, ...others, ...short, count]);
    expect(log).to.deep.equal(['ada 1', 'count', 'short 1', 'short 2', 'bob 1', 'ada 2', 'bob 2']);
  });

  itLong('go on after one that fails', async () => {
    const failing = createShortTurns(database).take(1, () => Promise.reject(new Error('broken')));
    const next = part('next').done;
    expect(await failing.catch((error: Error) => error.message)).to.equal('broken');
    await next;
    expect(log).to.deep.equal(['next']);
  });

  itLong('change licenses with many domains alone, and others together', async () => {
    const productId = await addProduct(createSqlProductStore(database));
    const keys = Array.from({ length: 20 }, (_, index) => keyNumber(index + 1));
    const parts: string[][] = [];
    const write: typeof database.write = (work) => {
      parts.push([]);
      return database.write(work);
    };
    const { add, changeEach } = createSqlLicenseStore({ ...database, write }, () =>
      Promise.reject(new Error('not asked')),
    );
    await add(
      keys.map((key) => newLicense(key, productId, { maxDomains: 5_000 })),
      [],
    );
    await database.write((trx) => trx('licenses').whereIn('key', keys.slice(0, 4)).update({ domains_used: 5_000 }));
    parts.length = 0;
    await changeEach(keys, (license) => {
      parts.at(-1)?.push(license.key);
      return { license };
    });
    expect(parts.slice(0, 4)).to.deep.equal(keys.slice(0, 4).map((key) => [key]));
    expect(parts.slice(4).some((some) => some.length > 1)).to.equal(true);
  });
});
