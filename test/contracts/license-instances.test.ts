import { expect } from 'chai';
import type { ProductId } from '../../core/id.ts';
import { nameOfInstance, parseInstanceId } from '../../core/licensing/instance.ts';
import { backends, openForEach } from '../support/backends.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, must, newLicense } from '../support/license-acts.ts';

const shop = domain('shop.example');
const idOf = (n: number) => must(parseInstanceId(`38b1460a-5104-4067-a91d-${String(n).padStart(12, '0')}`));
const [one, other] = [keyNumber(1), keyNumber(2)];

for (const backend of backends) {
  describe(`instances of licenses: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let productId: ProductId;
    let act: ReturnType<typeof actOn>;

    beforeEach(async () => {
      productId = await addProduct(stores.products);
      act = actOn(stores.licenses);
      await act.issue(newLicense(one, productId), newLicense(other, productId));
    });

    it('finds the activation of a domain by the id that was kept for it', async () => {
      await act.activate(one, shop, issuedAt + 1);
      const kept = { id: idOf(1), name: 'Shop “Ñ”', domain: shop };
      const expected = { ...kept, activatedAt: issuedAt + 1 };
      expect(await stores.instances.keep(one, kept)).to.deep.equal(expected);
      expect(await stores.instances.find(one, idOf(1))).to.deep.equal(expected);
      expect(await stores.instances.find(other, idOf(1)), 'of another license').to.equal(undefined);
      expect(await stores.instances.find(one, idOf(2)), 'another id').to.equal(undefined);
    });

    it('keeps the first id and name of an activation, also if two are kept at once', async () => {
      await act.activate(one, shop, issuedAt + 1);
      const kept = await Promise.all(
        [1, 2, 3].map((n) => stores.instances.keep(one, { id: idOf(n), name: `Name ${n}`, domain: shop })),
      );
      const [first] = kept;
      expect(kept).to.deep.equal([first, first, first]);
      expect(await stores.instances.find(one, must(first).id)).to.deep.equal(first);
    });

    it('keeps the same id for activations of two licenses', async () => {
      for (const key of [one, other]) {
        await act.activate(key, shop, issuedAt + 1);
        await stores.instances.keep(key, { id: idOf(1), name: key, domain: shop });
      }
      for (const key of [one, other]) expect(await stores.instances.find(key, idOf(1))).to.include({ name: key });
    });

    it('finds an activation for an instance that was never kept, without a name', async () => {
      const name = nameOfInstance(idOf(7));
      await act.activate(one, name, issuedAt + 3);
      const expected = { id: idOf(7), name: '', domain: name, activatedAt: issuedAt + 3 };
      expect(await stores.instances.find(one, idOf(7))).to.deep.equal(expected);
    });

    it('returns the names of activations, as far as they were kept', async () => {
      const name = nameOfInstance(idOf(7));
      for (const activated of [shop, name]) await act.activate(one, activated, issuedAt + 1);
      await act.activate(other, shop, issuedAt + 1);
      await stores.instances.keep(one, { id: idOf(1), name: 'Shop', domain: shop });
      await stores.instances.keep(other, { id: idOf(1), name: 'Other', domain: shop });
      expect(await stores.instances.namesOf(one, [shop, name])).to.deep.equal(new Map([[shop, 'Shop']]));
      expect(await stores.instances.namesOf(one, [])).to.deep.equal(new Map());
      expect(await stores.instances.namesOf(keyNumber(3), [shop])).to.deep.equal(new Map());
    });

    it('keeps nothing where the license is not activated', async () => {
      expect(await stores.instances.keep(one, { id: idOf(1), name: '', domain: shop })).to.equal(undefined);
      await act.activate(one, shop, issuedAt + 1);
      expect(await stores.instances.find(one, idOf(1))).to.equal(undefined);
    });

    it('forgets an instance with its activation, so that the next one has another id', async () => {
      await act.activate(one, shop, issuedAt + 1);
      await stores.instances.keep(one, { id: idOf(1), name: '', domain: shop });
      await act.deactivate(one, shop, issuedAt + 2);
      await act.activate(one, shop, issuedAt + 3);
      expect(await stores.instances.find(one, idOf(1))).to.equal(undefined);
      expect(await stores.instances.keep(one, { id: idOf(2), name: '', domain: shop })).to.include({ id: idOf(2) });
    });

    it('forgets an instance when its activation has been moved away', async () => {
      await act.activate(one, shop, issuedAt + 1);
      await stores.instances.keep(one, { id: idOf(1), name: '', domain: shop });
      await act.move(one, { from: shop, to: domain('new.example'), overlapHours: 1 }, issuedAt + 2);
      await stores.licenses.removeEnded(issuedAt + 3_600_002, 10);
      await act.activate(one, shop, issuedAt + 3_700_000);
      expect(await stores.instances.find(one, idOf(1))).to.equal(undefined);
    });
  });
}
