import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { sweep } from '../../../../core/marketplace/sweep.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import { operator } from '../../../support/by.ts';
import { formOf, formRequest, listingForm, type Part } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import { payable, placeOrder } from '../../../support/placed-orders.ts';
import { raw } from '../../../support/raw-http.ts';
import { itLong } from '../../../support/required-service.ts';
import { pngOf, zipOf } from '../../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const day = 86_400_000;

describe('versions and thumbnails of products over the API', () => {
  let service: AccountService;
  let seller: Account;
  let path: string;
  const start = async (settings = {}) => {
    service = await startAccountService({ ...payable, ...settings });
    seller = await service.account();
    const { body } = await seller.submit('/api/marketplace/publish', listingForm({ title: 'Jar' }));
    path = `/api/products/${body.product.id}`;
    await service.products.change('jar', 'approve', operator);
  };
  beforeEach(() => start());
  afterEach(() => service.close());

  const add = async (parts: Readonly<Record<string, Part | undefined>> = {}, headers = {}, account = seller) =>
    account.submit(
      `${path}/versions`,
      formOf({ product_zip: await zipOf([{ name: 'a', content: String(parts.number) }]), ...parts }),
      headers,
    );
  const used = async () => (await service.parts.get(t.fileLedger)).used(seller.user.id);
  const everything = async () => [
    await service.rows('products'),
    await service.rows('product_versions'),
    await service.rows('kept_files'),
    await service.files(),
    await used(),
  ];
  const sweepNow = async () =>
    await sweep(
      await service.parts.get(t.files),
      await service.parts.get(t.fileReferences),
      await service.parts.get(t.fileLedger),
      service.clock,
      0,
    );

  itLong(
    '200 for a new version, which is downloaded from now on; the older ones stay and can be downloaded',
    async () => {
      const { status, body } = await add({ number: '1.2.0', notes: ' Works with Base. ' });
      expect(status, JSON.stringify(body)).to.equal(200);
      const { size } = body.version;
      expect(body.version).to.deep.equal({
        number: '1.2.0',
        notes: 'Works with Base.',
        size,
        created_at: '2026-01-01T00:00:00.000Z',
        for_everybody: false,
      });
      expect(body.product).to.include({ version: '1.2.0', status: 'published' });
      expect((await add()).body.version.number).to.equal('2');
      const { body: listed } = await seller.get(`${path}/versions`, { limit: '2' });
      expect(listed.data.map(({ number }: { number: string }) => number)).to.deep.equal(['2', '1.2.0']);
      const { body: rest } = await seller.get(`${path}/versions`, { cursor: listed.next_cursor });
      expect([rest.data.length, rest.next_cursor]).to.deep.equal([1, null]);
      for (let days = 0; days < 5; days++) {
        service.clock.advance(30 * day);
        expect(await sweepNow()).to.equal(0);
      }
      const sizes: number[] = [];
      for (const version of [undefined, '1.2.0', '1']) {
        const link = await seller.get(`${path}/download`, version === undefined ? {} : { version });
        expect(link.body.filename).to.equal(`jar-${version ?? '2'}.zip`);
        const file = await fetch(link.body.url);
        expect([file.status, file.headers.get('content-type')]).to.deep.equal([200, 'application/zip']);
        sizes.push((await file.arrayBuffer()).byteLength);
      }
      expect(sizes[1]).to.equal(size);
      expect((await seller.get(`${path}/download`, { version: '7' })).status).to.equal(404);
      expect((await seller.get(`${path}/versions`, { cursor: '0' })).status).to.equal(422);
    },
  );

  itLong(
    '409 for a number that exists, 422 for a wrong number, kind of file or no file, and nothing is left behind',
    async () => {
      const before = await everything();
      expect((await add({ number: '1' })).body.error).to.deep.equal({
        code: 'CONFLICT',
        message: 'The product already has a version 1.',
      });
      for (const [field, parts] of Object.entries({
        number: { number: '../1' },
        product_zip: { product_zip: pngOf() },
        notes: { notes: 'x'.repeat(10_001) },
      })) {
        const { status, body } = await add(parts);
        expect([status, Object.keys(body.error.fields)]).to.deep.equal([422, [field]]);
      }
      expect((await add({ product_zip: undefined })).status).to.equal(422);
      expect(await everything()).to.deep.equal(before);
    },
  );

  itLong('409 for all but one of several versions with the same number at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => add({ number: '2.0' })));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 409, 409, 409]);
    expect(await service.rows('product_versions')).to.have.lengthOf(2);
    expect(await service.files()).to.have.lengthOf(3);
  });

  describe('deleted', () => {
    const remove = async (number: string, account = seller) =>
      await account.send(`${path}/versions/${number}`, { method: 'DELETE' });
    const numbersOf = async () =>
      (await seller.get(`${path}/versions`)).body.data.map(({ number }: { number: string }) => number);

    itLong('200, and the sweep deletes the zip, which then no longer counts', async () => {
      const before = await used();
      await add({ number: '2' });
      await add({ number: '3' });
      const full = await used();
      const { status, body } = await remove('2');
      expect([status, body.product.version, body.product.status]).to.deep.equal([200, '3', 'published']);
      expect(await numbersOf()).to.deep.equal(['3', '1']);
      expect((await seller.get(`${path}/download`, { version: '2' })).status).to.equal(404);
      expect(await sweepNow()).to.equal(0);
      expect(await used(), 'it is still stored').to.equal(full);
      service.clock.advance(2 * day);
      expect(await sweepNow()).to.equal(1);
      expect(await used())
        .to.be.below(full)
        .and.above(before);
      expect((await fetch((await seller.get(`${path}/download`)).body.url)).status).to.equal(200);
      const [told] = await (await service.parts.get(t.auditLog)).list({ subject: 'jar', limit: 1 });
      expect(told).to.include({ type: 'product.version_deleted', actor: seller.user.email });
      expect((await add()).body.version.number).to.equal('4');
    });

    itLong(
      '409 for the newest one and for one that somebody bought, until that is refunded; 404 for unknown ones',
      async () => {
        const bought = await placeOrder(service.parts, 'jar', { way: 'manual' });
        for (const number of ['2', '3']) await add({ number });
        const newest = await remove('3');
        expect([newest.status, newest.body.error.code]).to.deep.equal([409, 'CONFLICT']);
        expect(newest.body.error.message).to.include('newest');
        expect((await remove('1')).body.error.message).to.include('bought version 1');
        for (const number of ['7', '1.2.0', '%2F']) expect((await remove(number)).status, number).to.equal(404);
        expect(await numbersOf()).to.deep.equal(['3', '2', '1']);
        expect((await remove('2')).status, 'the buyer of version 1 has the newest one').to.equal(200);
        const page = await service.send(`/orders/${bought.token}`);
        expect([...page.text.matchAll(/download\/(\w+)/g)].map(([, number]) => number)).to.deep.equal(['3', '1']);
        expect((await seller.post(`/api/orders/${bought.id}/refund`, {})).status).to.equal(200);
        expect((await remove('1')).status).to.equal(200);
        expect(await numbersOf()).to.deep.equal(['3']);
      },
    );

    itLong(
      '200 for an archived product too, and the message of a full account says that versions can be deleted',
      async () => {
        await add({ number: '2' });
        expect((await seller.post(`${path}/archive`, {})).status).to.equal(200);
        expect((await remove('1')).status).to.equal(200);
        await service.close();
        await start({ STORAGE_FREE: '20000' });
        const { body } = await add({ product_zip: await zipOf([{ name: 'a', content: 'x'.repeat(50_000) }]) });
        const large = await zipOf([{ name: 'a', content: randomBytes(30_000).toString('hex') }]);
        const refused = await add({ product_zip: large });
        expect([refused.status, refused.body.error?.code], JSON.stringify(body)).to.deep.equal([403, 'QUOTA_EXCEEDED']);
        expect(refused.body.error.message).to.include('Delete versions');
      },
    );
  });

  itLong('200 once for a repeated request with the same Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': 'once' };
    const [first, second] = [await add({ notes: 'x' }, key), await add({ notes: 'x' }, key)];
    expect([first.status, second.body]).to.deep.equal([200, first.body]);
    expect(await service.rows('product_versions')).to.have.lengthOf(2);
  });

  itLong('503 if the storage fails, and nothing is left behind', async () => {
    const before = await everything();
    const disk = await service.parts.get(t.disk);
    const { put } = disk;
    disk.put = async () => {
      throw new Unavailable('The disk is full.');
    };
    try {
      expect((await add()).status).to.equal(503);
      expect((await seller.submit(`${path}/thumbnail`, formOf({ thumbnail: pngOf() }))).status).to.equal(503);
    } finally {
      disk.put = put;
    }
    expect(await everything()).to.deep.equal(before);
  });

  itLong(
    'count for the seller, also if an administrator adds them, and count for nobody on a product of the house',
    async () => {
      const admin = await service.account();
      good(await (await service.parts.get(t.userAdministration)).setRole(admin.user.email, 'admin', operator));
      const before = await used();
      const { body } = await add({}, {}, admin);
      expect(await used()).to.equal(before + body.version.size);
      const { id } = good(await service.products.add({ title: 'House', ownerId: null }, operator));
      path = `/api/products/${id}`;
      expect((await add({}, {}, admin)).status).to.equal(200);
      expect((await service.rows('kept_files')).length).to.equal(3);
      expect((await admin.get(`${path}/download`)).body.filename).to.equal('house-1.zip');
    },
  );

  itLong('403 over the quota, before the body is read if it cannot fit', async () => {
    await service.close();
    await start({ STORAGE_FREE: '1000' });
    const before = await everything();
    const large = await zipOf([{ name: 'a', content: Buffer.alloc(2_000, 'ab12'), compress: false }]);
    expect((await add({ product_zip: large })).body.error.code).to.equal('QUOTA_EXCEEDED');
    for (const end of ['versions', 'thumbnail']) {
      const long = { 'Content-Length': '5500000' };
      const answer = await raw(service.url, formRequest(`${path}/${end}`, seller.key, '', long));
      expect(answer)
        .to.match(/^HTTP\/1\.1 403 /)
        .and.include('QUOTA_EXCEEDED');
      const other = await service.account();
      const foreign = await raw(service.url, formRequest(`${path}/${end}`, other.key, '', long));
      expect(foreign).to.match(/^HTTP\/1\.1 404 /);
    }
    expect(await everything()).to.deep.equal(before);
  });

  itLong('200 for a new thumbnail; the old one is deleted and no longer counts after a day', async () => {
    const sizeOf = async (address: string) => (await (await fetch(address)).arrayBuffer()).byteLength;
    const before = await used();
    const old = await sizeOf((await seller.get(path)).body.product.thumbnail_url);
    const image = pngOf(20, 20, { comment: 500 });
    const { status, body } = await seller.submit(`${path}/thumbnail`, formOf({ thumbnail: image }));
    expect([status, body.product.status]).to.deep.equal([200, 'published']);
    const stored = await sizeOf(body.product.thumbnail_url);
    expect(stored, 'without its comment').to.be.within(1, 499);
    expect(await used()).to.equal(before + stored);
    service.clock.advance(day + 1);
    expect(await sweepNow()).to.equal(1);
    expect(await used()).to.equal(before + stored - old);
  });

  itLong('send a published product back to review if REVIEW=every, and never otherwise', async () => {
    await service.close();
    await start({ REVIEW: 'every' });
    expect((await add()).body.product.status).to.equal('pending');
    await service.products.change('jar', 'approve', operator);
    const { body } = await seller.submit(`${path}/thumbnail`, formOf({ thumbnail: pngOf() }));
    expect(body.product.status).to.equal('pending');
    await service.products.change('jar', 'approve', operator);
    await seller.post(`${path}/unlist`, {});
    expect((await add()).body.product.status).to.equal('unlisted');
    expect((await seller.post(`${path}/relist`, {})).body.product.status).to.equal('pending');
  });
});
