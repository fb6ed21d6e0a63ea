import { expect } from 'chai';
import type { Database } from '../../../adapters/sql/database.ts';
import { openInMemoryVerifier, openSqliteInMemory } from '../../../adapters/sql/sqlite/in-memory.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { deferred } from '../../support/deferred.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense, outcome } from '../../support/license-acts.ts';
import { itLong } from '../../support/required-service.ts';

const shop = domain('shop.example');
const count = 30;
const keys = Array.from({ length: count }, (_, index) => keyNumber(index + 1));

describe('concurrent changes of different licenses', () => {
  let database: Database;
  let transactions: number;
  /** Runs before each transaction. */
  let before: () => Promise<void>;
  let act: ReturnType<typeof actOn>;

  beforeEach(async () => {
    database = await openSqliteInMemory();
    const write: Database['write'] = async (work) => {
      transactions += 1;
      await before();
      return await database.write(work);
    };
    before = async () => undefined;
    const productId = await addProduct(createSqlProductStore(database), 'batches');
    act = actOn(createSqlLicenseStore({ ...database, write }, openInMemoryVerifier(database).verify));
    await act.issue(...keys.map((key) => newLicense(key, productId)));
    transactions = 0;
  });
  afterEach(() => database.close());

  itLong('share one transaction', async () => {
    const answers = await Promise.all(keys.map((key) => act.activate(key, shop, issuedAt)));
    expect(answers.map(outcome)).to.deep.equal(keys.map(() => 'ok'));
    expect(transactions).to.equal(1);
  });

  it('fail at once if they waited while the database was unavailable, and later ones try again', async () => {
    const [first, second, third] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]];
    const { promise, resolve } = deferred();
    before = async () => {
      await promise;
      throw new Unavailable('gone');
    };
    const failed = act.activate(first, shop, issuedAt).catch((error: unknown) => error);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const waited = act.activate(second, shop, issuedAt).catch((error: unknown) => error);
    resolve();
    expect(await failed).to.be.instanceOf(Unavailable);
    expect(await waited).to.be.instanceOf(Unavailable);
    expect(transactions, 'the second did not try').to.equal(1);
    before = async () => undefined;
    expect(outcome(await act.activate(third, shop, issuedAt))).to.equal('ok');
  });
});
