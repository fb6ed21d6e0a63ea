import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import { type TemplateId, toTemplateId } from '../../core/id.ts';
import { type Product, productStatuses } from '../../core/marketplace/product.ts';
import { addTemplate, addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt, newProduct } from '../support/license-acts.ts';

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
    /** Returns the keys without a reference, even if it was removed just now. */
    const unreferenced = (...keys: string[]) =>
      stores.references.unreferenced(keys, { now: issuedAt, before: Number.MAX_SAFE_INTEGER });
    /** Returns the keys that have had no reference since before a time. */
    const unreferencedSince = (before: number, now: number, ...keys: string[]) =>
      stores.references.unreferenced(keys, { now, before });
    const replaceZip = (id: TemplateId, zip: string, at: number) =>
      stores.templates.change(id, (before) => ({
        after: { ...before, zip },
        event: event('template.updated', 'dex', by, at),
      }));

    const places = {
      'the zip of a product': (key: string) => addProduct({ zip: key }),
      'the thumbnail of a product': (key: string) => addProduct({ thumbnail: key }),
      'the zip of a template': (key: string) => addTemplate(stores, 'dex', { zip: key }),
      'a live upload': (key: string) => addUpload(key),
      'a test upload': (key: string) => addUpload(key, false),
    };

    for (const [place, refer] of Object.entries(places)) {
      it(`treats ${place} as referenced immediately`, async () => {
        expect(await unreferenced('a/one.zip', 'a/two.zip')).to.have.members(['a/one.zip', 'a/two.zip']);
        await refer('a/one.zip');
        expect(await unreferenced('a/one.zip', 'a/two.zip')).to.deep.equal(['a/two.zip']);
      });
    }

    it('returns exactly the keys without a reference', async () => {
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

    it('treats the files of a product as referenced in every status, live or test', async () => {
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

    it('treats a file as referenced while at least one object refers to it', async () => {
      await addTemplate(stores, 'mint', { zip: 'same.zip' });
      const { id } = await addTemplate(stores, 'dex', { zip: 'same.zip' });
      await replaceZip(id, 'new.zip', issuedAt);
      expect(await unreferenced('same.zip', 'new.zip')).to.deep.equal([]);
      await replaceZip(id, 'newer.zip', issuedAt);
      expect(await unreferenced('same.zip', 'new.zip', 'newer.zip')).to.deep.equal(['new.zip']);
    });

    it('counts the time from the change that ended the last reference', async () => {
      const { id } = await addTemplate(stores, 'dex', { zip: 'old.zip' });
      await replaceZip(id, 'new.zip', 1_000);
      expect(await unreferencedSince(1_000, 9_000, 'old.zip', 'new.zip')).to.deep.equal([]);
      expect(await unreferencedSince(1_001, 9_000, 'old.zip', 'new.zip')).to.deep.equal(['old.zip']);
    });

    it('counts the time from the change that gave a product another zip or image', async () => {
      const { id } = await addProduct({ zip: 'old.zip', thumbnail: 'old.png' });
      const replace = (files: Partial<Product>, at: number) =>
        stores.products.change(id, (before) => ({
          after: { ...before, ...files },
          event: event('product.approved', before.slug, by, at),
        }));
      await replace({ zip: 'new.zip' }, 1_000);
      await replace({ thumbnail: null }, 2_000);
      const all = ['old.zip', 'old.png', 'new.zip'];
      expect(await unreferencedSince(1_001, 9_000, ...all)).to.deep.equal(['old.zip']);
      expect(await unreferencedSince(2_001, 9_000, ...all)).to.have.members(['old.zip', 'old.png']);
    });

    it('counts the time from the first check that found the key without a reference, if no change ended one', async () => {
      expect(await unreferencedSince(1_000, 1_000, 'lost.zip')).to.deep.equal([]);
      expect(await unreferencedSince(1_000, 5_000, 'lost.zip', 'later.zip')).to.deep.equal([]);
      expect(await unreferencedSince(1_001, 5_000, 'lost.zip', 'later.zip')).to.deep.equal(['lost.zip']);
      expect(await unreferencedSince(5_001, 9_000, 'lost.zip', 'later.zip')).to.have.members(['lost.zip', 'later.zip']);
    });

    it('starts the time again if the key was referenced in between', async () => {
      const { id } = await addTemplate(stores, 'dex', { zip: 'one.zip' });
      await replaceZip(id, 'two.zip', 1_000);
      await replaceZip(id, 'one.zip', 2_000);
      await replaceZip(id, 'three.zip', 7_000);
      expect(await unreferencedSince(7_000, 9_000, 'one.zip', 'two.zip')).to.deep.equal(['two.zip']);
      expect(await unreferencedSince(7_001, 9_000, 'one.zip', 'two.zip')).to.have.members(['one.zip', 'two.zip']);
    });

    it('counts the time from the end of the last of several references', async () => {
      const one = await addTemplate(stores, 'mint', { zip: 'same.zip' });
      const other = await addTemplate(stores, 'dex', { zip: 'same.zip' });
      await replaceZip(one.id, 'new.zip', 1_000);
      expect(await unreferencedSince(9_000, 9_000, 'same.zip')).to.deep.equal([]);
      await replaceZip(other.id, 'new.zip', 5_000);
      expect(await unreferencedSince(5_000, 9_000, 'same.zip')).to.deep.equal([]);
      expect(await unreferencedSince(5_001, 9_000, 'same.zip')).to.deep.equal(['same.zip']);
    });

    it('records no end of a reference if the zip stays the same, or if the template does not exist', async () => {
      const { id } = await addTemplate(stores, 'dex', { zip: 'one.zip' });
      await replaceZip(id, 'one.zip', 1_000);
      const renamed = event('template.updated', 'dex', by, 1_000);
      await stores.templates.change(id, (before) => ({ after: { ...before, title: 'New' }, event: renamed }));
      await replaceZip(toTemplateId(id + 1), 'two.zip', 1_000);
      expect(await unreferencedSince(9_000, 9_000, 'one.zip', 'two.zip')).to.deep.equal([]);
    });

    it('forgets the given keys, and no others', async () => {
      await unreferencedSince(0, 1_000, 'gone.zip', 'left.zip');
      await stores.references.forget(['gone.zip', 'never-was.zip']);
      await stores.references.forget([]);
      expect(await unreferencedSince(1_001, 5_000, 'gone.zip', 'left.zip')).to.deep.equal(['left.zip']);
    });

    it('does not confuse similar keys', async () => {
      await addProduct({ zip: 'a/jar.zip', thumbnail: 'a/jar.png' });
      const alike = ['a/jar.zi', 'a/jar.zip2', 'A/JAR.ZIP', 'a/jar_zip', 'a/jar%', '%', 'jar.zip', 'null', ''];
      expect(await unreferenced(...alike)).to.have.members(alike);
    });

    it('handles an empty list, and a list of a thousand keys', async () => {
      await addProduct({ zip: 'z/500.zip' });
      const keys = Array.from({ length: 1000 }, (_, n) => `z/${n}.zip`);
      expect(await unreferenced()).to.deep.equal([]);
      expect(await unreferenced(...keys)).to.have.members(keys.filter((key) => key !== 'z/500.zip'));
    });
  });
}
