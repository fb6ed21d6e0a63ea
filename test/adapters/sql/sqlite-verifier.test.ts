import { expect } from 'chai';
import { openSqlite, type SqliteDatabase } from '../../../adapters/sql/sqlite/database.ts';
import { openSqliteVerifier } from '../../../adapters/sql/sqlite/verifier.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import type { Verifier } from '../../../adapters/sql/verifier.ts';
import { judge } from '../../../core/licensing/verdict.ts';
import type { LicenseStore } from '../../../core/ports/license-store.ts';
import {
  actOn,
  addProduct,
  domain,
  issuedAt,
  keyNumber,
  must,
  newLicense,
  outcome,
} from '../../support/license-acts.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const key = keyNumber(1);
const shop = domain('shop.example');

describe('SQLite verifier', () => {
  let folder: TemporaryFolder;
  let database: SqliteDatabase;
  let verifier: Verifier;
  let licenses: LicenseStore;
  let act: ReturnType<typeof actOn>;

  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    database = await openSqlite(folder.file('latchkey.db'));
    verifier = await openSqliteVerifier(database);
    licenses = createSqlLicenseStore(database, verifier.verify);
    act = actOn(licenses);
    await act.issue(newLicense(key, await addProduct(createSqlProductStore(database))));
    await act.activate(key, shop, issuedAt);
  });
  afterEach(async () => {
    await database.close();
    await folder.remove();
  });

  const stored = async () => must(must(await licenses.find(key)).domains[0]).verificationCount;

  itLong('answers and counts waiting verifications before it closes', async () => {
    const answers = Promise.all(Array.from({ length: 2500 }, (_, n) => act.verify(key, shop, issuedAt + n)));
    await verifier.close();
    expect(new Set((await answers).map(outcome))).to.deep.equal(new Set(['ok']));
    expect(await stored()).to.equal(2500);
  });

  itLong('counts no verification of a batch if a decision throws, and continues with the next batch', async () => {
    const broken = new Error('broken rule');
    const answers = await Promise.allSettled([
      act.verify(key, shop, issuedAt),
      licenses.verify(key, shop, () => {
        throw broken;
      }),
    ]);
    expect(answers.map((one) => one.status === 'rejected' && one.reason)).to.deep.equal([broken, broken]);
    expect(await stored()).to.equal(0);
    expect(outcome(await act.verify(key, shop, issuedAt + 1))).to.equal('ok');
    expect(await stored()).to.equal(1);
    await verifier.close();
  });

  itLong('does not wait for a write that waits for the end of reads', async () => {
    let finish = () => {};
    const reading = database.read(async (knex) => {
      const own = await knex.client.acquireConnection();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      await knex.client.releaseConnection(own);
    });
    const writing = database.write(async () => 'written');
    expect(outcome(await act.verify(key, shop, issuedAt + 1))).to.equal('ok');
    finish();
    await reading;
    expect(await writing).to.equal('written');
    await verifier.close();
  });

  itLong('lets reads pass the writes that wait', async () => {
    const order: string[] = [];
    const writes = Array.from({ length: 20 }, (_, n) => database.write(async () => order.push(`write ${n}`)));
    await stored().then(() => order.push('read'));
    await Promise.all(writes);
    expect(order.indexOf('read')).to.be.below(5);
    await verifier.close();
  });

  itLong('writes in turn with the other writers of its process, before those that wait already', async () => {
    const order: string[] = [];
    const write = (name: string) => database.write(async () => order.push(name));
    let finish = () => {};
    const held = database.turns(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const before = write('the write before');
    let verification: Promise<unknown> | undefined;
    await new Promise<void>((decided) => {
      const counted = licenses.verify(key, shop, (license, activation) => {
        decided();
        return judge(license, activation, undefined, issuedAt);
      });
      verification = counted.then(() => order.push('the verification'));
    });
    await new Promise(setImmediate);
    const after = write('the write after');
    // A write that does not wait for its turn would use the file meanwhile.
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(order).to.deep.equal([]);
    finish();
    await Promise.all([held, before, verification, after]);
    expect(order).to.deep.equal(['the verification', 'the write before', 'the write after']);
    await verifier.close();
  });
});
