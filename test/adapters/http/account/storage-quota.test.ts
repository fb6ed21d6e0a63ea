import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { sweep } from '../../../../core/marketplace/sweep.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import { operator } from '../../../support/by.ts';
import { formOf, formRequest, listingForm } from '../../../support/forms.ts';
import { raw } from '../../../support/raw-http.ts';
import { itLong } from '../../../support/required-service.ts';
import { pngOf, zipOf } from '../../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const publishPath = '/api/marketplace/publish';
const uploadPath = '/api/marketplace/upload';
const day = 86_400_000;

const image = pngOf(1, 1, { comment: 10_000 });
const kilobytes = (count: number) => String(count * image.length);

describe('the stored files of an account', () => {
  let service: AccountService;
  beforeEach(async () => {
    service = await startAccountService({
      STORAGE_FREE: kilobytes(3),
      STORAGE_PRO: kilobytes(4),
      STORAGE_ENTERPRISE: kilobytes(5),
    });
  });
  afterEach(() => service.close());

  const upload = (account: Account, headers?: Record<string, string>) =>
    account.submit(uploadPath, formOf({ file: image }), headers);
  const used = async ({ user }: Account) => (await service.parts.get(t.fileLedger)).used(user.id);
  const runSweep = async () => {
    const [files, references, ledger] = [
      await service.parts.get(t.files),
      await service.parts.get(t.fileReferences),
      await service.parts.get(t.fileLedger),
    ];
    return await sweep(files, references, ledger, service.clock, 0);
  };

  for (const [tier, count] of [
    ['free', 3],
    ['pro', 4],
    ['enterprise', 5],
  ] as const) {
    itLong(
      `403 QUOTA_EXCEEDED over the quota of the ${tier} plan, with the used and the allowed bytes, and nothing is stored`,
      async () => {
        const account = await service.account(tier);
        for (let n = 0; n < count; n++) expect((await upload(account)).status).to.equal(200);
        const before = await service.files();
        const answer = await upload(account);
        expect(answer.status).to.equal(403);
        const bytes = count * image.length;
        const kib = (number: number) => Math.round((number / 1024) * 100) / 100;
        expect(answer.body).to.deep.equal({
          error: {
            code: 'QUOTA_EXCEEDED',
            message: `Your files use ${kib(bytes)} KiB of the ${kib(bytes)} KiB of your plan. There is no room for ${kib(image.length)} KiB more. Delete versions of your products that nobody needs: their space is free a day or two later.`,
            used: bytes,
            allowed: bytes,
          },
        });
        expect(await service.files()).to.deep.equal(before);
        expect(await service.rows('uploads')).to.have.length(count);
        expect(await used(account)).to.equal(bytes);
        expect((await upload(await service.account(tier))).status).to.equal(200);
      },
    );
  }

  itLong('are counted over all keys of the account, live and test, and may be more on a higher plan', async () => {
    const live = await service.account('free');
    const test = await service.keyOf(live.user, { mode: 'test' });
    for (const key of [live, test, live]) expect((await upload(key)).status).to.equal(200);
    for (const key of [live, test]) expect((await upload(key)).status).to.equal(403);
    await service.accounts.setTier(live.user.email, 'enterprise', operator);
    expect((await upload(test)).status).to.equal(200);
    await service.accounts.setTier(live.user.email, 'free', operator);
    expect((await upload(live)).body.error).to.include({ used: 4 * image.length, allowed: 3 * image.length });
  });

  itLong('include the zip and the thumbnail of a product, which are stored together or not at all', async () => {
    const account = await service.account();
    const zip = await zipOf([{ name: 'random', content: randomBytes(2 * image.length) }]);
    const large = await zipOf([{ name: 'random', content: randomBytes(3 * image.length) }]);
    const answer = await account.submit(publishPath, listingForm({ product_zip: large, thumbnail: image }));
    expect(answer.status).to.equal(403);
    expect(answer.body.error).to.include({ code: 'QUOTA_EXCEEDED', used: 0, allowed: 3 * image.length });
    expect([await service.files(), await service.rows('products'), await used(account)]).to.deep.equal([[], [], 0]);
    expect((await account.submit(publishPath, listingForm({ product_zip: zip }))).status).to.equal(200);
    // The thumbnail is drawn anew, so it has another size than the file that was sent.
    const rows = await service.rows('kept_files');
    const [thumbnail] = rows.filter(({ key }) => String(key).endsWith('.png'));
    expect(rows).to.have.lengthOf(2);
    expect(await used(account)).to.equal(zip.length + Number(thumbnail?.size));
  });

  itLong('never exceed the quota together, however many are sent at once', async () => {
    const account = await service.account('free');
    const answers = await Promise.all(Array.from({ length: 12 }, () => upload(account)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([...Array(3).fill(200), ...Array(9).fill(403)]);
    expect(await service.files()).to.have.length(3);
    expect(await used(account)).to.equal(3 * image.length);
  });

  it('403 before the body is read, if its Content-Length cannot fit', async () => {
    const account = await service.account();
    for (const path of [publishPath, uploadPath]) {
      const answer = await raw(service.url, formRequest(path, account.key, '', { 'Content-Length': '50000000' }));
      expect(answer, path).to.match(/^HTTP\/1\.1 403 /);
      expect(answer, path).to.match(/^Connection: close\r$/im);
      expect(answer, path).to.include('"code":"QUOTA_EXCEEDED"');
      expect(answer, path).to.include(`"used":0,"allowed":${3 * image.length}`);
    }
    expect(await service.files()).to.deep.equal([]);
  });

  itLong('do not prevent the answer to a repeated request, even if a new one would exceed the quota', async () => {
    await using roomy = await startAccountService({ STORAGE_FREE: '3000000' });
    const account = await roomy.account();
    const file = await zipOf([{ name: 'random', content: randomBytes(2_500_000) }]);
    const send = () => account.submit(uploadPath, formOf({ file }), { 'Idempotency-Key': 'same' });
    const first = await send();
    const again = await send();
    expect([first.status, again.status]).to.deep.equal([200, 200]);
    expect(again.body).to.deep.equal(first.body);
    expect((await account.submit(uploadPath, formOf({ file }))).status).to.equal(403);
  });

  itLong('do not count if they could not be stored because of an outage', async () => {
    const account = await service.account();
    const disk = await service.parts.get(t.disk);
    const { put } = disk;
    disk.put = async () => {
      throw new Unavailable('The disk is full.');
    };
    try {
      for (let n = 0; n < 4; n++) expect((await upload(account)).status).to.equal(503);
    } finally {
      disk.put = put;
    }
    expect(await used(account)).to.equal(0);
  });

  itLong('count until a sweep deletes them', async () => {
    const account = await service.account();
    for (let n = 0; n < 3; n++) await upload(account);
    await service.database.write((trx) => trx('uploads').where('id', '>', 1).delete());
    // The first sweep finds them. A sweep one day later deletes them.
    for (let days = 0; days < 2; days++) {
      service.clock.advance(day);
      expect([await runSweep(), await used(account)]).to.deep.equal([0, 3 * image.length]);
      expect((await upload(account)).status).to.equal(403);
    }
    service.clock.advance(1);
    expect([await runSweep(), await used(account)]).to.deep.equal([2, image.length]);
    expect((await upload(account)).status).to.equal(200);
  });

  itLong('stop counting after a day, if the process was killed before it stored them', async () => {
    const account = await service.account();
    const ledger = await service.parts.get(t.fileLedger);
    await ledger.add(account.user.id, [{ key: 'media/lost.png', size: 5 }], 100, service.clock.now());
    await upload(account);
    service.clock.advance(day);
    expect([await runSweep(), await used(account)]).to.deep.equal([0, image.length + 5]);
    service.clock.advance(1);
    expect([await runSweep(), await used(account)]).to.deep.equal([0, image.length]);
  });
});
