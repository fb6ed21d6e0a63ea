import { expect } from 'chai';
import type { Database } from '../../../adapters/sql/database.ts';
import { openInMemoryVerifier, openSqliteInMemory } from '../../../adapters/sql/sqlite/in-memory.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlLicenseUses } from '../../../adapters/sql/stores/license-uses.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { TooMuchAtOnce, Unavailable } from '../../../core/unavailable.ts';
import { actOn, addProduct, issuedAt, keyNumber, newLicense } from '../../support/license-acts.ts';

describe('uses of one license at once', () => {
  const key = keyNumber(1);
  let database: Database;
  let writes = 0;
  let isDown = false;
  const write: Database['write'] = async (work) => {
    writes += 1;
    if (isDown) throw new Unavailable('down');
    return await database.write(work);
  };
  beforeEach(async () => {
    const opened = await openSqliteInMemory();
    database = opened;
    const productId = await addProduct(createSqlProductStore(opened));
    await actOn(createSqlLicenseStore(opened, openInMemoryVerifier(opened).verify)).issue(newLicense(key, productId));
    [writes, isDown] = [0, false];
  });
  afterEach(() => database.close());

  it('share a transaction, at most 1,000 of them, and no more may wait', async () => {
    const { count } = createSqlLicenseUses({ write });
    const outcomes = await Promise.all(
      Array.from({ length: 1_002 }, () => count(key, issuedAt).catch((error: unknown) => error)),
    );
    expect(outcomes.slice(0, 1_000)).to.deep.equal(Array.from({ length: 1_000 }, (_, n) => n + 1));
    for (const refused of outcomes.slice(1_000)) expect(refused).to.be.instanceOf(TooMuchAtOnce);
    expect(writes).to.equal(1);
    expect(await count(key, issuedAt)).to.equal(1_001);
  });

  it('fail together, and later ones are counted', async () => {
    const { count } = createSqlLicenseUses({ write });
    isDown = true;
    const outcomes = await Promise.all([1, 2, 3].map(() => count(key, issuedAt).catch((error: unknown) => error)));
    for (const failed of outcomes) expect(failed).to.be.instanceOf(Unavailable);
    isDown = false;
    expect(await count(key, issuedAt)).to.equal(1);
  });
});
