import { expect } from 'chai';
import { openS3Storage, type S3Storage } from '../../../adapters/files/s3/storage.ts';
import { systemClock } from '../../../adapters/node/clock.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { type FakeS3, hangs, list, refusal, startFakeS3, takesAll } from '../../support/fake-s3.ts';
import { formOf, listingForm } from '../../support/forms.ts';
import { itLong } from '../../support/required-service.ts';
import { pngOf } from '../../support/samples.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { type Account, type AccountService, startAccountService } from './account/account-service.ts';

const image = pngOf(1, 1, { comment: 10_000 });
/** Needs no S3 server, because the test itself answers the requests. */
describe('uploads while S3 does not answer', () => {
  let s3: FakeS3;
  let storage: S3Storage;
  let service: AccountService;
  let folder: TemporaryFolder;
  beforeEach(async () => {
    s3 = await startFakeS3();
    folder = await makeTemporaryFolder();
    service = await startAccountService({ STORAGE_FREE: String(3 * image.length) });
  });
  afterEach(async () => {
    await service.close();
    await storage.close();
    await s3.close();
    await folder.remove();
  });

  /** Starts a service that stores its files on the fake S3. `timeout` and `pause` are in milliseconds. */
  async function open(timeout: number, pause: number): Promise<void> {
    storage = await openS3Storage({
      bucket: 'files',
      endpoint: s3.endpoint,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      clock: systemClock,
      staging: folder.file('staging'),
      timeout,
      pause,
    });
    const { put, delete: remove, has } = storage;
    Object.assign(await service.parts.get(t.disk), { put, delete: remove, has });
  }
  const upload = async (account: Account) =>
    (await account.submit('/api/marketplace/upload', formOf({ file: image }))).status;
  const used = async ({ user }: Account) => (await service.parts.get(t.fileLedger)).used(user.id);
  const objectsAsked = () => s3.asked.map((line) => line.split(' ', 1)[0]);

  itLong('get 503 after one timeout, however many there are', async () => {
    const timeout = 2_000;
    await open(timeout, 60_000);
    const accounts = await Promise.all(Array.from({ length: 16 }, () => service.account()));
    s3.answer = takesAll;
    expect(await upload(accounts[0] ?? expect.fail())).to.equal(200);
    s3.answer = hangs;
    s3.asked.length = 0;
    const start = performance.now();
    expect(new Set(await Promise.all(accounts.map(upload)))).to.deep.equal(new Set([503]));
    expect(performance.now() - start).to.be.below(4 * timeout);
    expect(objectsAsked()).to.deep.equal(['HEAD', 'HEAD', 'HEAD', 'HEAD']);
  });

  itLong('no longer count against the quota once they got 503, if nothing was sent to S3', async () => {
    await open(1_000, 300);
    const account = await service.account();
    s3.answer = hangs;
    for (let n = 0; n < 4; n++) expect(await upload(account)).to.equal(503);
    expect(await used(account)).to.equal(0);
    s3.answer = refusal(503, 'ServiceUnavailable');
    expect(await upload(account)).to.equal(503);
    expect(await used(account)).to.equal(0);
  });

  itLong(
    'send nothing more to a server that became silent while it received the file; the file is deleted later',
    async () => {
      await open(1_000, 300);
      const account = await service.account();
      s3.answer = (request, response) =>
        request.method === 'HEAD' ? response.writeHead(404).end() : hangs(request, response);
      s3.asked.length = 0;
      expect(await upload(account)).to.equal(503);
      expect(objectsAsked()).to.deep.equal(['HEAD', 'PUT']);
      expect(await used(account)).to.equal(image.length);
      s3.answer = takesAll;
      const withdrawals = await service.parts.get(t.withdrawals);
      while ((await used(account)) > 0) {
        await withdrawals.again();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(objectsAsked().at(-1)).to.equal('DELETE');
      expect(await upload(account)).to.equal(200);
    },
  );

  itLong('delete the zip of a product whose thumbnail S3 refused, as soon as S3 allows it', async () => {
    await open(1_000, 300);
    const account = await service.account();
    let put = 0;
    s3.answer = (request, response) => {
      if (request.method === 'PUT') put += 1;
      if (put > 0 && request.method !== 'PUT') refusal(503, 'ServiceUnavailable')(request, response);
      else takesAll(request, response);
    };
    const form = listingForm({ thumbnail: image });
    expect((await account.submit('/api/marketplace/publish', form)).status).to.equal(503);
    expect(await used(account))
      .to.be.above(0)
      .and.below(image.length);
    s3.answer = takesAll;
    s3.asked.length = 0;
    await (await service.parts.get(t.withdrawals)).again();
    expect(objectsAsked()).to.deep.equal(['DELETE']);
    expect(await used(account)).to.equal(0);
  });

  itLong('succeed again soon after S3 answers again', async () => {
    await open(1_000, 300);
    const account = await service.account();
    s3.answer = hangs;
    expect(await upload(account)).to.equal(503);
    s3.answer = takesAll;
    while ((await upload(account)) !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    s3.answer = list;
    await storage.ping();
  });
});
