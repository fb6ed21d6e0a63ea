import { copyFile, open, rename, rm } from 'node:fs/promises';
import { expect } from 'chai';
import { openSqlite, type SqliteDatabase } from '../../../adapters/sql/sqlite/database.ts';
import { openSqliteVerifier } from '../../../adapters/sql/sqlite/verifier.ts';
import { type DatabaseTrouble, type SqliteWatch, watchSqlite } from '../../../adapters/sql/sqlite/watch.ts';
import type { Verifier } from '../../../adapters/sql/verifier.ts';
import { codeOf } from '../../../adapters/system-error.ts';
import { judge } from '../../../core/licensing/verdict.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { damage } from '../../support/damage.ts';
import { until } from '../../support/eventually.ts';
import { domain, keyNumber } from '../../support/license-acts.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

describe('an SQLite file that disappears while it is in use', () => {
  let folder: TemporaryFolder;
  let file: string;
  let database: SqliteDatabase;
  let verifier: Verifier;
  let losses: DatabaseTrouble[];

  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    file = folder.file('latchkey.db');
    losses = [];
    database = await openSqlite(file, {}, (trouble) => losses.push(trouble));
    verifier = await openSqliteVerifier(database);
  });
  afterEach(async () => {
    await verifier.close();
    await database.close();
    await folder.remove();
  });

  const thrownBy = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);
  const works: readonly (() => Promise<unknown>)[] = [
    () => database.check(),
    () => database.read((knex) => knex('users')),
    () => database.write(async (trx) => await trx('users').delete()),
    () =>
      verifier.verify(keyNumber(1), domain('shop.example'), (license, activation) =>
        judge(license, activation, undefined, 1),
      ),
  ];

  itLong('is not reported as lost while it is the same file, after any writes', async () => {
    await database.write(async (trx) => await trx('settings').insert({ name: 'a', value: 'b' }));
    for (const work of works) expect(await thrownBy(work())).to.equal(undefined);
    expect(losses).to.deep.equal([]);
  });

  const accidents = {
    'was deleted or moved': () => rm(file),
    'was replaced by another file': async () => {
      await copyFile(file, `${file}.new`);
      await rename(`${file}.new`, file);
    },
  };
  for (const [what, happens] of Object.entries(accidents)) {
    itLong(
      `${what}: all work throws Unavailable once that is noticed, and the loss is reported once, with the path`,
      async () => {
        await happens();
        expect(await thrownBy(database.check())).to.be.instanceOf(Unavailable);
        for (const work of works) expect(await thrownBy(work())).to.be.instanceOf(Unavailable);
        expect(losses.map(({ kind }) => kind)).to.deep.equal(['lost']);
        expect(losses[0]?.error.message).to.include(`${file} ${what}`);
      },
    );
  }

  itLong('stays lost if a file of its name comes back', async () => {
    await rename(file, `${file}.away`);
    expect(await thrownBy(database.check())).to.be.instanceOf(Unavailable);
    await rename(`${file}.away`, file);
    expect(await thrownBy(database.check())).to.be.instanceOf(Unavailable);
  });
});

describe('an SQLite file with a damaged page', () => {
  itLong(
    'throws Unavailable if the page is read, is not ready from then on, and reports path and remedy once',
    async () => {
      const folder = await makeTemporaryFolder();
      const file = folder.file('latchkey.db');
      await (await openSqlite(file)).close();
      await damage(file, 'users');
      const troubles: DatabaseTrouble[] = [];
      const database = await openSqlite(file, {}, (trouble) => troubles.push(trouble));
      try {
        await database.check();
        for (let n = 0; n < 2; n++) {
          const error = await database.read((knex) => knex('users')).catch((thrown: unknown) => thrown);
          expect(error).to.be.instanceOf(Unavailable);
          expect(error).to.have.nested.property('cause.code', 'SQLITE_CORRUPT');
        }
        expect(await database.check().catch((thrown: unknown) => thrown)).to.be.instanceOf(Unavailable);
        expect(await database.read((knex) => knex('settings'))).to.deep.equal([]);
        expect(troubles.map(({ kind }) => kind)).to.deep.equal(['damaged']);
        expect(troubles[0]?.error.message).to.include(file).and.include('latchkey-server check');
      } finally {
        await database.close();
        await folder.remove();
      }
    },
  );
});

describe('an SQLite file on a full disk', () => {
  needing(smallDisk.skip).it(
    'is not ready while nothing can be written, and is ready again when there is space',
    async () => {
      const folder = await makeTemporaryFolder();
      const disk = smallDisk.mount(folder.path, '16m');
      const troubles: DatabaseTrouble[] = [];
      const database = await openSqlite(folder.file('latchkey.db'), {}, (trouble) => troubles.push(trouble));
      const isReady = () =>
        database.check().then(
          () => true,
          (error: unknown) => (error instanceof Unavailable ? false : String(error)),
        );
      try {
        expect(await isReady()).to.equal(true);
        const filler = await open(folder.file('filler'), 'w');
        const block = Buffer.alloc(4_096);
        for (let code: unknown; code !== 'ENOSPC'; ) {
          code = await filler.write(block).catch((error: unknown) => codeOf(error));
        }
        await filler.close();
        const write = () => database.write(async (trx) => await trx('settings').insert({ name: 'a', value: 'b' }));
        expect(await write().catch((error: unknown) => error)).to.be.instanceOf(Unavailable);
        expect(await isReady()).to.equal(false);
        expect(troubles.map(({ kind }) => kind)).to.deep.equal(['full']);
        expect(await database.read((knex) => knex('settings'))).to.deep.equal([]);
        await rm(folder.file('filler'));
        expect(await isReady()).to.equal(true);
        await write();
      } finally {
        await database.close();
        disk[Symbol.dispose]();
        await folder.remove();
      }
    },
  );
});

describe('the watch over an SQLite file', () => {
  let folder: TemporaryFolder;
  let told: string[];
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    told = [];
  });
  afterEach(() => folder.remove());

  async function watching(path: string, quiet?: number) {
    await (await open(path, 'w')).close();
    const watch = watchSqlite(path, ({ kind }) => told.push(kind), quiet);
    return { watch, [Symbol.dispose]: () => watch.stop() };
  }
  const fails = async (watch: SqliteWatch, code: string) => {
    const error = Object.assign(new Error(code), { code });
    expect(await watch.guard(() => Promise.reject(error)).catch((thrown: unknown) => thrown)).to.equal(error);
  };
  /** Waits like a server whose readiness nobody checks. */
  const heals = (watch: SqliteWatch) =>
    until(() => {
      watch.wrote();
      return watch.isWritable();
    });

  it('reports a full or failing disk each time, even if nobody checks readiness', async () => {
    using file = await watching(folder.file('a.db'), 0);
    for (const [code, kind] of [
      ['SQLITE_FULL', 'full'],
      ['SQLITE_IOERR', 'failing'],
    ] as const) {
      for (const times of [1, 2]) {
        for (let n = 0; n < 3; n++) await fails(file.watch, code);
        await until(() => told.length === times);
        expect(file.watch.isWritable()).to.equal(false);
        await heals(file.watch);
      }
      expect(told.splice(0)).to.deep.equal([kind, kind]);
    }
  });

  it('reports repeated trouble at most once a minute', async () => {
    using file = await watching(folder.file('a.db'));
    for (let n = 0; n < 3; n++) {
      await fails(file.watch, 'SQLITE_FULL');
      await heals(file.watch);
    }
    expect(told).to.deep.equal(['full']);
  });

  needing(smallDisk.skip).it(
    'reports a failure as a full disk if there is no space, and does not become writable again',
    async () => {
      const disk = smallDisk.mount(folder.path, '512k');
      try {
        using file = await watching(folder.file('a.db'));
        await fails(file.watch, 'SQLITE_IOERR');
        await until(() => told.length > 0);
        file.watch.wrote();
        expect(await file.watch.assertRoom().catch((error: unknown) => error)).to.be.instanceOf(Unavailable);
        expect(file.watch.isWritable()).to.equal(false);
        expect(told).to.deep.equal(['full']);
      } finally {
        disk[Symbol.dispose]();
      }
    },
  );
});
