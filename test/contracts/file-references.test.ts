import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import { type Product, productStatuses } from '../../core/marketplace/product.ts';
import { addTemplate, addUser, backends, openForEach } from '../support/backends.ts';
import { by, issuedAt, newProduct } from '../support/license-acts.ts';

for (const backend of backends) {
  describe(`file references: ${backend.name}`, () => {
    const stores = openForEach(backend);

    const addProduct = (fields: Partial<Product>) =>
      stores.products.add(newProduct({ zip: null, thumbnail: null, ...fields }), (slug) =>
        event('product.added', slug, by, issuedAt),
      );
    const addUpload = async (key: string, isLive = true) => {
      const { id } = await addUser(stores, 'Ada');
      await stores.uploads.add({ userId: id, isLive, key, size: 1, at: issuedAt });
    };
    const unreferenced = (...keys: string[]) => stores.references.unreferenced(keys);

    const places = {
      'the zip of a product': (key: string) => addProduct({ zip: key }),
      'the thumbnail of a product': (key: string) => addProduct({ thumbnail: key }),
      'the zip of a template': (key: string) => addTemplate(stores, 'dex', { zip: key }),
      'a live upload': (key: string) => addUpload(key),
      'a test upload': (key: string) => addUpload(key, false),
    };

    for (const [place, refer] of Object.entries(places)) {
      it(`knows that ${place} is referred to, at once`, async () => {
        expect(await unreferenced('a/one.zip', 'a/two.zip')).to.have.members(['a/one.zip', 'a/two.zip']);
        await refer('a/one.zip');
        expect(await unreferenced('a/one.zip', 'a/two.zip')).to.deep.equal(['a/two.zip']);
      });
    }

    it('tells exactly those that nothing refers to', async () => {
      await addProduct({ zip: 'p.zip', thumbnail: 'p.png' });
      await addTemplate(stores, 'dex', { zip: 't.zip' });
      await addUpload('u.jpg');
      const used = ['p.zip', 'p.png', 't.zip', 'u.jpg'];
      const unused = ['q.zip', 'q.png', 's.zip', 'v.jpg', 'dex', 'tip-jar'];
      expect(await unreferenced(...used)).to.deep.equal([]);
      expect(await unreferenced(...unused)).to.have.members(unused);
      expect(await unreferenced(...unused.flatMap((key, n) => [key, used[n] ?? key]))).to.include.members(unused);
      expect(await unreferenced(...unused, ...used)).to.have.members(unused);
    });

    it('knows the files of a product whatever its status, live or not', async () => {
      const keys = [];
      for (const status of productStatuses) {
        for (const isLive of [true, false]) {
          const key = `${status}-${isLive}`;
          await addProduct({ status, isLive, zip: `${key}.zip`, thumbnail: `${key}.png` });
          keys.push(`${key}.zip`, `${key}.png`);
        }
      }
      expect(await unreferenced(...keys)).to.deep.equal([]);
    });

    it('knows a file as long as any one of several refers to it', async () => {
      await addTemplate(stores, 'mint', { zip: 'same.zip' });
      const { id } = await addTemplate(stores, 'dex', { zip: 'same.zip' });
      const changed = event('template.updated', 'dex', by, issuedAt);
      await stores.templates.update(id, { zip: 'new.zip' }, changed);
      expect(await unreferenced('same.zip', 'new.zip')).to.deep.equal([]);
      await stores.templates.update(id, { zip: 'newer.zip' }, changed);
      expect(await unreferenced('same.zip', 'new.zip', 'newer.zip')).to.deep.equal(['new.zip']);
    });

    it('does not mistake one key for another that looks like it', async () => {
      await addProduct({ zip: 'a/jar.zip', thumbnail: 'a/jar.png' });
      const alike = ['a/jar.zi', 'a/jar.zip2', 'A/JAR.ZIP', 'a/jar_zip', 'a/jar%', '%', 'jar.zip', 'null', ''];
      expect(await unreferenced(...alike)).to.have.members(alike);
    });

    it('answers about none, and about a thousand', async () => {
      await addProduct({ zip: 'z/500.zip' });
      const keys = Array.from({ length: 1000 }, (_, n) => `z/${n}.zip`);
      expect(await unreferenced()).to.deep.equal([]);
      expect(await unreferenced(...keys)).to.have.members(keys.filter((key) => key !== 'z/500.zip'));
    });
  });
}
