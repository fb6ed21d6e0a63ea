import { readdir, readlink, rename, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { openSqlite } from '../../../adapters/sql/sqlite/database.ts';
import { createSqliteProbe } from '../../../adapters/sql/sqlite/probe.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

describe('the probe of an SQLite file', () => {
  /** A watch that does nothing. */
  const watch = {
    isWritable: () => false,
    guard: <T>(work: () => Promise<T>) => work(),
    assertRoom: async () => undefined,
  };

  itLong('tries again after it could not open or prepare the file, and leaves no handle open', async () => {
    const folder = await makeTemporaryFolder();
    const file = folder.file('latchkey.db');
    await (await openSqlite(file)).close();
    await rename(file, `${file}.away`);
    const probe = createSqliteProbe(file, watch);
    const thrown = () =>
      probe.tryWriting().then(
        () => undefined,
        (error: unknown) => error,
      );
    const handles = async () => {
      const names = await readdir('/proc/self/fd').catch(() => []);
      const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
      return paths.filter((path) => path.startsWith(file));
    };
    try {
      expect(await thrown()).to.be.instanceOf(Unavailable);
      await writeFile(file, 'This is not a database, but it is long enough to be looked at as one.'.repeat(20));
      for (let n = 0; n < 3; n++) expect(await thrown()).to.have.property('code', 'SQLITE_NOTADB');
      expect(await handles()).to.deep.equal([]);
      await rename(`${file}.away`, file);
      expect(await thrown()).to.equal(undefined);
    } finally {
      await probe.close();
      await folder.remove();
    }
  });
});
