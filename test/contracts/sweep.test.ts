import { expect } from 'chai';
import { createManualClock, type ManualClock } from '../../adapters/node/manual-clock.ts';
import { event } from '../../core/events/event.ts';
import type { TemplateId } from '../../core/id.ts';
import { sweep } from '../../core/marketplace/sweep.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { addTemplate, addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { type OpenedStorage, storageKinds } from '../support/files.ts';
import { newProduct } from '../support/license-acts.ts';
import { itLong, needing } from '../support/required-service.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

for (const backend of backends) {
  for (const kind of storageKinds) {
    needing(kind.skip).describe(`the sweep: ${backend.name} and ${kind.name}`, () => {
      const stores = openForEach(backend);
      let opened: OpenedStorage;
      let clock: ManualClock;

      beforeEach(async () => {
        opened = await kind.open();
        // The storage dates files by the system clock. The clock of the sweep is ahead of it.
        clock = createManualClock(Date.now() + minute);
      });
      afterEach(() => opened?.close());

      const put = async (...keys: string[]) => {
        for (const key of keys) await opened.storage.put(key, await opened.incoming(key));
      };
      const swept = (linkLifetime = 15 * minute) =>
        sweep(opened.storage, stores.references, stores.ledger, clock, linkLifetime);
      const left = async () => {
        const keys: string[] = [];
        for await (const key of opened.storage.storedBefore('', clock.now())) keys.push(key);
        return keys.sort();
      };
      const replaceZip = (id: TemplateId, zip: string) =>
        stores.templates.change(id, (before) => ({
          after: { ...before, zip },
          event: event('template.updated', 'dex', by, clock.now()),
        }));

      it('keeps files that products, templates and uploads refer to, however old they are', async () => {
        const used = ['media/t.png', 'media/u.jpg', 'products/p.zip', 'templates/t.zip'];
        await put(...used);
        const product = newProduct({ zip: 'products/p.zip', thumbnail: 'media/t.png' });
        await stores.products.add(product, (slug) => event('product.added', slug, by, clock.now()));
        await addTemplate(stores, 'dex', { zip: 'templates/t.zip' });
        const { id } = await addUser(stores, 'Ada');
        await stores.uploads.add({ userId: id, isLive: true, key: 'media/u.jpg', size: 1, at: clock.now() });
        for (let days = 0; days < 30; days += 10) {
          expect(await swept()).to.equal(0);
          clock.advance(10 * day);
        }
        expect(await left()).to.deep.equal(used);
      });

      it('deletes the zip of a template one day after it was replaced, and not earlier, however old the file is', async () => {
        await put('templates/old.zip', 'templates/new.zip');
        const { id } = await addTemplate(stores, 'dex', { zip: 'templates/old.zip' });
        clock.advance(300 * day);
        expect(await swept()).to.equal(0);
        await replaceZip(id, 'templates/new.zip');
        for (const time of [0, day - 1, 1]) {
          clock.advance(time);
          expect(await swept()).to.equal(0);
        }
        expect(String(await opened.content('templates/old.zip'))).to.equal('templates/old.zip');
        clock.advance(1);
        expect(await swept()).to.equal(1);
        expect(await left()).to.deep.equal(['templates/new.zip']);
        clock.advance(30 * day);
        expect(await swept()).to.equal(0);
      });

      itLong(
        'keeps a replaced zip until the last link to it has expired, if links are valid for more than a day',
        async () => {
          await put('templates/old.zip', 'templates/new.zip');
          const { id } = await addTemplate(stores, 'dex', { zip: 'templates/old.zip' });
          clock.advance(300 * day);
          await replaceZip(id, 'templates/new.zip');
          for (let days = 0; days < 7; days++) {
            clock.advance(day);
            expect(await swept(7 * day)).to.equal(0);
          }
          clock.advance(hour + 1);
          expect(await swept(7 * day)).to.equal(1);
          expect(await left()).to.deep.equal(['templates/new.zip']);
        },
      );

      it('counts the day from the end of the last of several references', async () => {
        await put('templates/same.zip', 'templates/new.zip');
        const one = await addTemplate(stores, 'mint', { zip: 'templates/same.zip' });
        const other = await addTemplate(stores, 'dex', { zip: 'templates/same.zip' });
        await replaceZip(one.id, 'templates/new.zip');
        clock.advance(10 * day);
        await replaceZip(other.id, 'templates/new.zip');
        clock.advance(day);
        expect(await swept()).to.equal(0);
        clock.advance(1);
        expect(await swept()).to.equal(1);
      });

      it('deletes a file without any reference a day after it found the file, unless there is a reference by then', async () => {
        await put('products/lost.zip', 'products/late.zip');
        clock.advance(30 * day);
        expect(await swept()).to.equal(0);
        const product = newProduct({ zip: 'products/late.zip', thumbnail: null });
        await stores.products.add(product, (slug) => event('product.added', slug, by, clock.now()));
        clock.advance(day + 1);
        expect(await swept()).to.equal(1);
        expect(await left()).to.deep.equal(['products/late.zip']);
      });

      itLong(
        'leaves the remaining files to the next sweep when it is stopped, and no longer counts deleted ones',
        async () => {
          const keys = Array.from({ length: 10 }, (_, n) => `media/${n}.png`);
          await put(...keys);
          const { id } = await addUser(stores, 'Ada');
          await stores.ledger.add(
            id,
            keys.map((key) => ({ key, size: 1 })),
            100,
            clock.now(),
          );
          await swept();
          clock.advance(day + 1);
          const stop = new AbortController();
          let deleted = 0;
          const { storage } = opened;
          const stopping: FileStorage = {
            ...storage,
            async delete(key, during) {
              await storage.delete(key, during);
              deleted += 1;
              if (deleted === 4) stop.abort();
            },
          };
          const sweepNow = () => sweep(stopping, stores.references, stores.ledger, clock, 0, stop.signal);
          expect(await sweepNow()).to.equal(4);
          expect([(await left()).length, await stores.ledger.used(id)]).to.deep.equal([6, 6]);
          expect(await sweepNow()).to.equal(0);
          expect(await swept()).to.equal(6);
          expect([await left(), await stores.ledger.used(id)]).to.deep.equal([[], 0]);
        },
      );

      it('no longer counts the files that it deleted before the storage failed', async () => {
        await put('media/1.png', 'media/2.png', 'media/3.png');
        const { id } = await addUser(stores, 'Ada');
        const counted = ['media/1.png', 'media/2.png', 'media/3.png'].map((key) => ({ key, size: 1 }));
        await stores.ledger.add(id, counted, 100, clock.now());
        await swept();
        clock.advance(day + 1);
        let deleted = 0;
        const { storage } = opened;
        const failing: FileStorage = {
          ...storage,
          async delete(key) {
            deleted += 1;
            if (deleted === 2) throw new Unavailable('The disk is unavailable.');
            await storage.delete(key);
          },
        };
        const error = await sweep(failing, stores.references, stores.ledger, clock, 0).catch((thrown) => thrown);
        expect(error).to.be.instanceOf(Unavailable);
        expect(await stores.ledger.used(id)).to.equal(2);
        expect(await swept()).to.equal(2);
      });

      itLong('deletes all unused files, also if several processes sweep concurrently', async () => {
        const keys = Array.from({ length: 20 }, (_, n) => `media/${n}.png`);
        await put(...keys);
        await Promise.all([swept(), swept()]);
        clock.advance(day + 1);
        await Promise.all([swept(), swept(), swept()]);
        expect(await left()).to.deep.equal([]);
      });
    });
  }
}

describe('the sweep of many files', () => {
  const [memory] = backends;
  const [disk] = storageKinds;
  if (memory === undefined || disk === undefined) throw new Error('There is nothing to sweep.');
  const stores = openForEach(memory);

  itLong('finds all files without a reference', async () => {
    const opened = await disk.open();
    try {
      const clock = createManualClock(Date.now() + minute);
      for (let n = 0; n < 1_201; n++) {
        await opened.storage.put(`media/${n}.png`, await opened.incoming(''));
        if (n % 100 === 0) await addTemplate(stores, `template-${n}`, { zip: `media/${n}.png` });
      }
      expect(await sweep(opened.storage, stores.references, stores.ledger, clock, 0)).to.equal(0);
      clock.advance(day + 1);
      expect(await sweep(opened.storage, stores.references, stores.ledger, clock, 0)).to.equal(1_188);
    } finally {
      await opened.close();
    }
  });
});
