import { expect } from 'chai';
import { backends, openForEach } from '../support/backends.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense } from '../support/license-acts.ts';

for (const backend of backends) {
  describe(`license uses: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const key = keyNumber(1);
    beforeEach(async () => {
      await actOn(stores.licenses).issue(newLicense(key, await addProduct(stores.products)));
    });

    it('counts each use once, and keeps the time of the last one', async () => {
      expect(await stores.uses.count(key, issuedAt + 7)).to.equal(1);
      expect(await stores.uses.count(key, issuedAt + 5)).to.equal(2);
      const found = await stores.licenses.look({ key });
      expect(found?.license.retired).to.deep.equal({ verificationCount: 2, lastVerifiedAt: issuedAt + 7 });
      expect(await stores.uses.count(keyNumber(2), issuedAt)).to.equal(undefined);
    });

    it('counts many at once in order, each with a count of its own, and keeps the time of the last one', async () => {
      const all = Array.from({ length: 300 }, (_, n) => n);
      const other = keyNumber(2);
      const [counted, unknown] = await Promise.all([
        Promise.all(all.map((n) => stores.uses.count(key, issuedAt + (n === 100 ? 9 : 1)))),
        Promise.all(all.map(() => stores.uses.count(other, issuedAt))),
      ]);
      expect(counted).to.deep.equal(all.map((n) => n + 1));
      expect(new Set(unknown)).to.deep.equal(new Set([undefined]));
      const found = await stores.licenses.look({ key });
      expect(found?.license.retired).to.deep.equal({ verificationCount: 300, lastVerifiedAt: issuedAt + 9 });
      expect(await stores.uses.count(key, issuedAt)).to.equal(301);
    });

    it('loses none while the license changes', async () => {
      const { activate, deactivate } = actOn(stores.licenses);
      const counted = await Promise.all(
        Array.from({ length: 12 }, async (_, n) => {
          const host = domain(`${n % 2}.example.com`);
          await (n % 4 < 2 ? activate : deactivate)(key, host, issuedAt);
          return await stores.uses.count(key, issuedAt);
        }),
      );
      expect(new Set(counted).size).to.equal(12);
      expect((await stores.licenses.look({ key }))?.license.retired.verificationCount).to.equal(12);
    });
  });
}
