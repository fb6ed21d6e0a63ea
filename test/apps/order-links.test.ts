import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { openDiskStorage } from '../../adapters/files/disk.ts';
import { signLink } from '../../adapters/files/signed-link.ts';
import { systemClock } from '../../adapters/node/clock.ts';
import { createSigner } from '../../adapters/node/signer.ts';
import { serveFromBucket, serveFromDisk } from '../../apps/wiring/file-serving.ts';
import { type OrderId, toOrderId } from '../../core/id.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';
import { needing } from '../support/required-service.ts';
import { openS3, s3Server } from '../support/s3.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const signer = createSigner('a secret of the tests');
const clock = systemClock;
const baseUrl = 'http://localhost';
const key = 'products/one.zip';
const order = toOrderId(12);
/** No link here is for a license. */
const updates = { mayFetch: async () => false };

const places = [
  {
    name: 'a disk',
    skip: undefined,
    async open(mayFetch: (id: OrderId) => Promise<boolean>) {
      const folder = await makeTemporaryFolder();
      const storage = await openDiskStorage(folder.file('files'), { baseUrl, signer, clock });
      const incoming = `${storage.staging}/one`;
      return {
        storage,
        incoming,
        serving: serveFromDisk({ disk: storage, signer, clock, bought: { mayFetch }, updates }),
        close: folder.remove,
      };
    },
  },
  {
    name: 'a bucket',
    skip: s3Server.skip,
    async open(mayFetch: (id: OrderId) => Promise<boolean>) {
      const { storage, close } = await openS3();
      const incoming = `${storage.staging}/one`;
      return {
        storage,
        incoming,
        serving: serveFromBucket({ s3: storage, signer, clock, bought: { mayFetch }, updates }),
        close,
      };
    },
  },
];

async function put(storage: FileStorage, path: string): Promise<void> {
  await writeFile(path, 'content');
  await storage.put(key, path);
}

for (const { name, skip, open } of places) {
  needing(skip).describe(`a link for an order to a file in ${name}`, () => {
    it('serves the file while the order is usable, whenever the link was made', async () => {
      let isUsable = true;
      const asked: OrderId[] = [];
      const { storage, incoming, serving, close } = await open(async (id) => {
        asked.push(id);
        return isUsable;
      });
      try {
        await put(storage, incoming);
        const link = new URL(signLink(signer, baseUrl, key, 'a file.zip', clock.now() + 900_000, { order }));
        const query = Object.fromEntries(link.searchParams);
        const found = await serving.locateLinked(key, query);
        if (found === undefined || found === 'expired') return expect.fail('The file was not found.');
        expect(found.filename).to.equal('a file.zip');
        if ('url' in found) {
          expect(Number(new URL(found.url).searchParams.get('X-Amz-Expires'))).to.be.within(1, 61);
          expect(await (await fetch(found.url)).text()).to.equal('content');
        }
        isUsable = false;
        expect(await serving.locateLinked(key, query)).to.equal('expired');
        expect(asked).to.deep.equal([order, order]);
        expect(await serving.locateLinked(key, { ...query, order: '13' })).to.equal(undefined);
        expect(asked).to.have.lengthOf(2);
      } finally {
        await close();
      }
    });
  });
}
