import { expect } from 'chai';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { issuedAt } from '../support/license-acts.ts';

for (const backend of backends) {
  describe(`upload log: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ada: number;
    let bob: number;

    beforeEach(async () => {
      ada = (await addUser(stores, 'Ada')).id;
      bob = (await addUser(stores, 'Bob')).id;
    });

    const upload = (userId: number, isLive: boolean, key: string, size = 1) =>
      stores.uploads.add({ userId, isLive, key: `uploads/${key}`, size, at: issuedAt });
    const counts = () =>
      Promise.all(
        [ada, bob].flatMap((userId) => [true, false].map((isLive) => stores.uploads.count({ userId, isLive }))),
      );

    it('counts nothing where nothing was uploaded', async () => {
      expect(await counts()).to.deep.equal([0, 0, 0, 0]);
      expect(await stores.uploads.count({ userId: 999, isLive: true })).to.equal(0);
    });

    it('counts what each user uploaded, live and test apart', async () => {
      await upload(bob, false, 'one.png');
      expect(await counts()).to.deep.equal([0, 0, 0, 1]);
      await upload(ada, true, 'two.zip', 0);
      await upload(ada, true, 'three.zip', 300_000_000_000);
      expect(await counts()).to.deep.equal([2, 0, 0, 1]);
      await upload(ada, false, 'four.jpg');
      expect(await counts()).to.deep.equal([2, 1, 0, 1]);
    });

    it('counts every one of many uploads at once', async () => {
      await Promise.all(Array.from({ length: 20 }, (_, n) => upload(n % 4 === 0 ? bob : ada, n % 2 === 0, `${n}.png`)));
      expect(await counts()).to.deep.equal([5, 10, 5, 0]);
    });
  });
}
