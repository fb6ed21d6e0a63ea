import { randomBytes } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { systemClock } from '../../adapters/node/clock.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';
import { errorOf } from '../support/error-of.ts';
import { type OpenedStorage, storageKinds } from '../support/files.ts';
import { itLong, needing } from '../support/required-service.ts';

const hour = 3_600_000;
const notKeys = [
  '',
  '/',
  'name.zip',
  'folder/',
  '/etc/passwd',
  '../folder/name.zip',
  'folder/../name.zip',
  'folder/..',
  'folder/.zip',
  'folder/name',
  'folder/name.',
  'folder/name.tar.gz',
  'folder/name.zip/',
  'folder/name.zip\n',
  `folder/${'n'.repeat(300)}.zip`,
  `folder/name.${'z'.repeat(300)}`,
  `folder/${'n'.repeat(5_000)}.zip`,
  'folder/name.zip\0',
  'folder//name.zip',
  'folder/sub/name.zip',
  'folder\\name.zip',
  'folder/..%2fname.zip',
  'folder/na me.zip',
  'Folder/name.zip',
  'folder/Name.zip',
  'folder1/name.zip',
  'földer/name.zip',
  '~/name.zip',
  'tmp/name.zip',
];

for (const kind of storageKinds) {
  needing(kind.skip).describe(`file storage: ${kind.name}`, () => {
    let opened: OpenedStorage;
    let storage: FileStorage;

    beforeEach(async () => {
      opened = await kind.open();
      storage = opened.storage;
    });
    afterEach(() => opened?.close());

    const put = async (key: string, content: string | Buffer = key) => storage.put(key, await opened.incoming(content));
    const stored = async (prefix = '', time = systemClock.now() + hour) => {
      const keys: string[] = [];
      for await (const key of storage.storedBefore(prefix, time)) keys.push(key);
      return keys.sort();
    };
    const exists = (path: string) =>
      access(path).then(
        () => true,
        () => false,
      );

    it('stores a file unchanged, and removes the incoming file', async () => {
      for (const content of [Buffer.alloc(0), Buffer.from('one'), randomBytes(3_000_000)]) {
        const key = `media/of-${content.length}.bin`;
        const path = await opened.incoming(content);
        await storage.put(key, path);
        expect(content.equals(await opened.content(key))).to.equal(true);
        expect(await exists(path)).to.equal(false);
      }
    });

    itLong('shows either the complete file or no file', async () => {
      const content = randomBytes(2_000_000);
      for (let index = 0; index < 10; index++) {
        const key = `media/${index}.bin`;
        const path = await opened.incoming(content);
        let isPut = false;
        const putting = storage.put(key, path).finally(() => {
          isPut = true;
        });
        while (!isPut) {
          if (await storage.has(key)) expect((await opened.content(key)).length).to.equal(content.length);
        }
        await putting;
        expect(await storage.has(key)).to.equal(true);
      }
    });

    it('shows no part of a file that it could not store', async () => {
      const path = await opened.incoming('');
      expect(await errorOf(storage.put('media/none.zip', `${path}-that-is-not-there`))).to.be.an('error');
      expect(await storage.has('media/none.zip')).to.equal(false);
      expect(await stored()).to.deep.equal([]);
    });

    it('never overwrites a file', async () => {
      await put('media/one.zip', 'first');
      const second = await opened.incoming('second');
      expect(await errorOf(storage.put('media/one.zip', second))).to.be.an('error');
      expect(String(await opened.content('media/one.zip'))).to.equal('first');
      expect(await readFile(second, 'utf8')).to.equal('second');
    });

    it('stores exactly one of several files that are put under the same key concurrently', async () => {
      const contents = Array.from({ length: 20 }, (_, index) => `file ${index}`);
      const failures = await Promise.all(contents.map((content) => errorOf(put('media/one.zip', content))));
      expect(failures.filter((error) => error === undefined)).to.have.length(1);
      expect(String(await opened.content('media/one.zip'))).to.equal(contents[failures.indexOf(undefined)]);
      expect(await stored()).to.deep.equal(['media/one.zip']);
    });

    itLong('stores many files concurrently', async () => {
      const keys = Array.from({ length: 50 }, (_, index) => `${index % 2 ? 'media' : 'products'}/${index}.zip`);
      await Promise.all(keys.map((key) => put(key)));
      expect(await stored()).to.deep.equal(keys.toSorted());
      for (const key of keys) expect(String(await opened.content(key))).to.equal(key);
    });

    it('refuses every text that is not a key, and changes no file', async () => {
      const anything = fc.oneof(
        fc.string(),
        fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', '-', '\0', '\n') }),
      );
      const isKey = (text: string) => /^(?!tmp\/)[a-z]+\/[a-z0-9-]+\.[a-z0-9]+$/.test(text);
      const path = await opened.incoming('kept');
      const refusesAll = async (text: string) => {
        expect(await errorOf(storage.put(text, path)), text).to.be.an('error');
        expect(await errorOf(storage.has(text)), text).to.be.an('error');
        expect(await errorOf(storage.delete(text)), text).to.be.an('error');
        expect(await errorOf(storage.link(text, 'name.zip', 0)), text).to.be.an('error');
      };
      for (const text of notKeys) await refusesAll(text);
      await fc.assert(
        fc.asyncProperty(
          anything.filter((text) => !isKey(text)),
          refusesAll,
        ),
      );
      expect(await readFile(path, 'utf8')).to.equal('kept');
      expect(await stored()).to.deep.equal([]);
    });

    it('returns true from `has` only between put and delete', async () => {
      expect(await storage.has('media/one.zip')).to.equal(false);
      await put('media/one.zip');
      await put('media/two.zip');
      expect(await storage.has('media/one.zip')).to.equal(true);
      expect(await storage.has('products/one.zip')).to.equal(false);
      await storage.delete('media/one.zip');
      expect(await storage.has('media/one.zip')).to.equal(false);
      expect(await storage.has('media/two.zip')).to.equal(true);
    });

    it('does nothing if the file to delete does not exist', async () => {
      await put('media/one.zip');
      await storage.delete('media/one.zip');
      await storage.delete('media/one.zip');
      await storage.delete('nowhere/one.zip');
      await put('media/one.zip', 'anew');
      expect(String(await opened.content('media/one.zip'))).to.equal('anew');
    });

    it('lists the files under a prefix that were stored before a time', async () => {
      const keys = ['media/a-1.png', 'media/a-2.png', 'media/b.jpg', 'mediation/a.zip', 'products/a.zip'];
      for (const key of keys) await put(key);
      expect(await stored()).to.deep.equal(keys);
      expect(await stored('', systemClock.now() - hour)).to.deep.equal([]);
      expect(await stored('media/')).to.deep.equal(keys.slice(0, 3));
      expect(await stored('media')).to.deep.equal(keys.slice(0, 4));
      expect(await stored('media/a')).to.deep.equal(keys.slice(0, 2));
      expect(await stored('media/b.jpg')).to.deep.equal(['media/b.jpg']);
      for (const none of ['uploads/', 'media/c', 'media/b.jpg/', '../', '/', '.']) {
        expect(await stored(none), none).to.deep.equal([]);
      }
    });

    it('lists nothing if no file was ever stored', async () => {
      expect(await stored()).to.deep.equal([]);
      expect(await stored('media/')).to.deep.equal([]);
    });

    itLong('lists each existing file exactly once while others are deleted and added', async () => {
      const keys = Array.from({ length: 200 }, (_, index) => `media/${index}.zip`);
      for (const key of keys) await put(key);
      const seen: string[] = [];
      for await (const key of storage.storedBefore('media/', systemClock.now() + hour)) {
        seen.push(key);
        await storage.delete(key);
        await storage.delete(keys[(seen.length * 7) % keys.length] ?? key);
        if (seen.length % 20 === 0) await put(`products/${seen.length}.zip`);
      }
      expect(new Set(seen).size).to.equal(seen.length);
      expect(await stored('media/')).to.deep.equal([]);
    });

    itLong('stops listing when it is aborted', async () => {
      for (let number = 0; number < 5; number++) await put(`media/${number}.zip`);
      const stop = new AbortController();
      const seen: string[] = [];
      for await (const key of storage.storedBefore('', systemClock.now() + hour, stop.signal)) {
        seen.push(key);
        if (seen.length === 2) stop.abort();
      }
      expect(seen).to.have.length(2);
      for await (const key of storage.storedBefore('', systemClock.now() + hour, stop.signal)) seen.push(key);
      expect(seen).to.have.length(2);
      expect(await stored()).to.have.length(5);
    });

    it('returns a different absolute URL for each file', async () => {
      await put('media/one.zip');
      await put('media/two.zip');
      const until = systemClock.now() + hour;
      const links = [
        await storage.link('media/one.zip', 'one.zip', until),
        await storage.link('media/two.zip', 'one.zip', until),
        await storage.link('media/one.zip', 'two.zip', until),
        await storage.link('media/one.zip', 'one.zip', until + hour),
      ];
      for (const link of links) expect(new URL(link).protocol).to.match(/^https?:$/);
      expect(new Set(links).size).to.equal(links.length);
    });
  });
}
