import { expect } from 'chai';
import type { Database } from '../../../adapters/sql/database.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Stores } from '../../support/backends.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense } from '../../support/license-acts.ts';
import { openPostgresStores } from '../../support/postgres-backend.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';
import { openSqliteStores } from '../../support/sqlite-stores.ts';

const [before, after, twin] = [keyNumber(1), keyNumber(2), keyNumber(3)] as const;
const site = domain('one.example');

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`a license that is changed by plain SQL on ${name}`, () => {
    let place: SqlPlace;
    let stores: Stores;
    let database: Database;
    const close: (() => Promise<void>)[] = [];
    beforeEach(async () => {
      place = await make();
      close.push(place.remove);
      stores = await (name === 'SQLite'
        ? openSqliteStores(place.url.slice('sqlite:'.length))
        : openPostgresStores(place.url));
      database = await place.open();
      close.push(stores.close, database.close);
      const product = await addProduct(stores.products);
      await actOn(stores.licenses).issue(newLicense(before, product), newLicense(twin, product));
      for (const key of [before, twin]) await actOn(stores.licenses).activate(key, site, issuedAt);
    });
    afterEach(async () => {
      for (const end of close.splice(0).toReversed()) await end();
    });

    const verify = async (key: LicenseKey) => {
      const verdict = await actOn(stores.licenses).verify(key, site, issuedAt);
      return verdict.kind === 'refused' ? verdict.reason : verdict.kind;
    };
    const setKey = (from: LicenseKey, to: string) =>
      database.write((trx) => trx('licenses').where({ key: from }).update({ key: to }));

    itLong('is valid only with its new key, starting with the very next verification', async () => {
      expect([await verify(before), await verify(before)]).to.deep.equal(['valid', 'valid']);
      await setKey(before, after);
      expect(await verify(before)).to.equal('invalid_key');
      expect([await verify(after), await verify(after)]).to.deep.equal(['valid', 'valid']);
      await setKey(after, before);
      expect([await verify(after), await verify(before)]).to.deep.equal(['invalid_key', 'valid']);
    });

    itLong('is not confused with another license that now has its old key', async () => {
      await verify(before);
      await setKey(before, after);
      await setKey(twin, before);
      await database.write((trx) => trx('licenses').where({ key: before }).update({ standing: 'revoked' }));
      expect([await verify(before), await verify(after)]).to.deep.equal(['revoked', 'valid']);
    });
  });
}
