import { connect } from 'node:net';
import { expect } from 'chai';
import { columnNames } from '../../../../adapters/csv/columns.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { by } from '../../../support/by.ts';
import { eventually } from '../../../support/eventually.ts';
import { itLong } from '../../../support/required-service.ts';
import type { WebAnswer } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const start = Date.UTC(2026, 0, 1);
const list = '/selling/live/licenses';
const path = `${list}/import`;
const key = (n: number) => `LIC-FILE-0000-0000-${String(n).padStart(4, '0')}`;
const file = (text: string | Uint8Array<ArrayBuffer>) => new File([text], 'licenses.csv', { type: 'text/csv' });

describe('the pages that import licenses', () => {
  let service: SellingService;
  let ada: Person;
  let eve: Person;
  beforeEach(async () => {
    service = await startSellingService();
    ada = await service.signedInUser({ name: 'Ada' });
    eve = await service.signedInUser({ name: 'Eve' });
    await service.product(ada, 'jar', { title: 'Cookie Jar' });
    await service.product(ada, 'test-jar', { title: 'Test Jar', isLive: false });
    await service.product(eve, 'dex');
  });
  afterEach(() => service.close());

  const send = (text: string, { browser } = ada) => browser.fill(path, { file: file(text) });
  const keysOf = async ({ browser } = ada, mode = 'live') =>
    [...new Set((await browser.get(`/selling/${mode}/licenses`)).text.match(/LIC(?:-[A-Z0-9]{4}){4}/g))].toSorted();
  const isStaged = async () => (await service.files()).some((name) => /[\da-f-]{36}$/.test(name));
  const nothingLeft = async () => {
    expect(await service.rows('license_imports')).to.deep.equal([]);
    expect(await service.rows('license_import_lines')).to.deep.equal([]);
    expect(await isStaged()).to.equal(false);
  };
  const linkIn = (page: WebAnswer, name: string) => {
    const link = page.links.find(({ text }) => text === name);
    return link && new URL(link.href, `http://x${page.path}`).pathname;
  };
  const faultsIn = (page: WebAnswer) => page.elements('td').map(({ text }) => text);

  itLong('303 to the sign-in page for people who are not signed in', async () => {
    for (const at of [path, `${list}/imported?added=1&left_out=0&passed_over=0`]) {
      const { status, location } = await service.browser().get(at);
      expect([status, location]).to.deep.equal([303, `/sign-in?next=${encodeURIComponent(at)}`]);
    }
    const form = new FormData();
    form.append('file', file(`product\njar\n`));
    expect((await service.browser().post(path, form)).location).to.equal('/sign-in');
    expect(await keysOf()).to.deep.equal([]);
  });

  itLong('403 from another site, and nothing is imported', async () => {
    const form = new FormData();
    form.append('file', file('product\njar\n'));
    expect((await ada.browser.post(path, form, { 'Sec-Fetch-Site': 'cross-site' })).status).to.equal(403);
    expect(await keysOf()).to.deep.equal([]);
    await nothingLeft();
  });

  it('404 for an unknown mode, and for results that are no numbers', async () => {
    for (const at of [
      '/selling/other/licenses/import',
      `${list}/imported`,
      `${list}/imported?added=x&left_out=0&passed_over=0`,
    ]) {
      expect((await ada.browser.get(at)).status, at).to.equal(404);
    }
  });

  itLong('200 with a form that the list leads to, and with every column', async () => {
    expect(linkIn(await ada.browser.get(list), 'Import licenses')).to.equal(path);
    const page = await ada.browser.get(path);
    expect([page.status, page.heading]).to.deep.equal([200, 'Import licenses']);
    const codes = page.elements('dt').map(({ text }) => text.split(' ')[0]);
    expect(codes).to.have.members(columnNames);
    expect(page.text).to.include('100 MiB');
  });

  itLong('200 with the way to a product for sellers who have none', async () => {
    const bob = await service.signedInUser();
    const page = await bob.browser.get(path);
    expect(page.text).to.include('You have no products yet');
    expect(page.elements('input').filter(({ attributes }) => attributes.type === 'file')).to.deep.equal([]);
  });

  itLong('303 to the number of licenses and to the list, and the licenses work at once', async () => {
    const sent = await send(`key,product,domains\n${key(1)},jar,a.example.com\n,jar,\n`);
    expect([sent.status, sent.location]).to.deep.equal([303, `${list}/imported?added=2&left_out=0&passed_over=0`]);
    const done = await ada.browser.follow(sent);
    expect([done.status, done.heading]).to.deep.equal([200, '2 licenses imported']);
    expect(linkIn(done, 'See the licenses')).to.equal(list);
    expect(await keysOf())
      .to.have.lengthOf(2)
      .and.to.include(key(1));
    expect((await service.verify(key(1), 'a.example.com')).body).to.include({ valid: true });
    await nothingLeft();
  });

  itLong('the template can be imported as it is, and names all columns', async () => {
    const page = await ada.browser.get(path);
    const link = page.elements('a').find(({ attributes }) => attributes.download === 'licenses-template.csv');
    const template = await (await fetch(link?.attributes.href ?? '')).text();
    expect(template.split('\r\n')[0]?.split(',')).to.have.members(columnNames);
    expect((await ada.browser.follow(await send(template))).heading).to.equal('2 licenses imported');
  });

  itLong('422 with the lines of at most 100 faults and the number of the others, and nothing is imported', async () => {
    const page = await send(`key,product\n${key(1)},jar\n${'LIC-X,jar\n'.repeat(130)}`);
    expect(page.status).to.equal(422);
    expect(page.text).to.include('has 130 faults').and.to.include('30 more');
    expect(faultsIn(page)).to.have.lengthOf(200);
    expect(faultsIn(page).slice(0, 2)).to.deep.equal([
      'Line 3',
      'key "LIC-X": A license key looks like LIC-XXXX-XXXX-XXXX-XXXX.',
    ]);
    expect(await keysOf()).to.deep.equal([]);
    await nothingLeft();
  });

  itLong('422 for products of others and of the other mode, and text of the file is never HTML', async () => {
    const page = await send('product\ndex\ntest-jar\n<script>x</script>\n');
    expect(faultsIn(page)).to.deep.equal([
      ...['Line 2', 'product "dex": No product has this id or slug.'],
      ...['Line 3', 'product "test-jar": No product has this id or slug.'],
      ...['Line 4', 'product "<script>x</script>": No product has this id or slug.'],
    ]);
    expect(page.html).not.to.include('<script>x');
    const test = await ada.browser.fill('/selling/test/licenses/import', { file: file('product\ntest-jar\n') });
    expect(test.location).to.equal('/selling/test/licenses/imported?added=1&left_out=0&passed_over=0');
    expect(await keysOf()).to.deep.equal([]);
    expect(await keysOf(ada, 'test')).to.have.lengthOf(1);
  });

  itLong('422 without a file, and for a file that is no CSV', async () => {
    const form = await ada.browser.get(path);
    expect((await ada.browser.submit(form)).text).to.include('Choose a file.');
    for (const text of ['', '\0\0', 'a;b\n']) {
      const page = await send(text);
      expect([page.status, faultsIn(page).length], text).to.deep.equal([422, 2]);
    }
    await nothingLeft();
  });

  itLong('422 with the limit for a file that is larger than MAX_CSV_SIZE, and the next one is imported', async () => {
    await using small = await startSellingService({ MAX_CSV_SIZE: '1024' });
    const bob = await small.signedInUser();
    await small.product(bob, 'jar');
    for (const size of [2_000, 2_000_000]) {
      const page = await bob.browser.fill(path, { file: file('x'.repeat(size)) });
      expect(page.status).to.equal(422);
      expect(page.text).to.include('The file is larger than 1 KiB.');
    }
    expect((await small.files()).filter((name) => /[\da-f-]{36}$/.test(name))).to.deep.equal([]);
    expect((await bob.browser.fill(path, { file: file('product\njar\n') })).status).to.equal(303);
  });

  itLong(
    'a form that is sent twice imports once, also at the same time, but can be sent again after a fault',
    async () => {
      const form = await ada.browser.get(path);
      const faulty = await ada.browser.submit(form, { file: file('product\nnone\n') });
      expect(faulty.status).to.equal(422);
      const answers = await Promise.all(
        [1, 2, 3].map(() => ada.browser.submit(form, { file: file('product\njar\njar\n') })),
      );
      expect(
        answers.filter(({ location }) => location === `${list}/imported?added=2&left_out=0&passed_over=0`),
      ).to.have.lengthOf(1);
      const again = await ada.browser.submit(form, { file: file('product\njar\njar\n') });
      expect((await ada.browser.follow(again)).text).to.include('This file was already sent.');
      expect(await keysOf()).to.have.lengthOf(2);
      await nothingLeft();
    },
  );

  itLong('422 while another import runs, and the same form can be sent afterwards', async () => {
    const begun = await (await service.parts.get(t.licenseImports)).begin('imported', by, start);
    if (isRefused(begun)) throw new Error(begun.detail);
    const form = await ada.browser.get(path);
    const refused = await ada.browser.submit(form, { file: file('product\njar\n') });
    expect([refused.status, refused.text.includes('Another import is running')]).to.deep.equal([422, true]);
    await begun.undo();
    expect((await ada.browser.submit(form, { file: file('product\njar\n') })).status).to.equal(303);
  });

  itLong(
    'leave nothing if the browser disconnects during the upload, and the seller can send the next file',
    async () => {
      const { port } = new URL(service.url);
      const cookie = [...ada.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        [
          `POST ${path} HTTP/1.1`,
          'Host: x',
          `Cookie: ${cookie}`,
          'Content-Type: multipart/form-data; boundary=b',
          'Content-Length: 100000',
          '',
          '--b',
          'Content-Disposition: form-data; name="file"; filename="a.csv"',
          '',
          'product\njar\n',
        ].join('\r\n'),
      );
      await eventually('the file is on the disk', isStaged);
      const refused = await send('product\njar\n');
      expect([refused.status, refused.text.includes('A file of yours is being imported')]).to.deep.equal([422, true]);
      socket.destroy();
      await eventually('the file is deleted', async () => !(await isStaged()));
      await nothingLeft();
      expect((await send('product\njar\n')).status).to.equal(303);
    },
  );

  describe('for exports of other systems, and checks without an import', () => {
    const edd = [
      'License Key,License Status,Customer Email,Product Name,Expiration Date,Activation Limit,Activated URLs',
      'cc22c1ec86304b36883440e2e84cddff,active,a@example.com,Jar,2027-01-24 14:15:07,3,shop.example.com/',
      'aa22c1ec86304b36883440e2e84cddff,disabled,,Jar,lifetime,0,',
      ',active,,Jar,,1,',
    ].join('\n');
    const chosen = { from: 'edd', product: 'jar' };

    itLong('200 with what an import would do, and nothing is changed until "Import" is chosen', async () => {
      const page = await ada.browser.fill(path, { ...chosen, check: 'yes', file: file(edd) });
      expect(page.status, page.text).to.equal(200);
      expect(page.text).to.include('An import would add 2 licenses');
      expect(faultsIn(page).slice(0, 4)).to.deep.equal(['Line 2', 'jar', 'Active', '1 / 3']);
      expect(page.text).to.include('Jan 24, 2027').and.to.include('It has no license key.');
      expect(await keysOf()).to.deep.equal([]);
      await nothingLeft();
      const sent = await ada.browser.submit(page, { file: file(edd) });
      expect(sent.location).to.equal(`${list}/imported?added=2&left_out=0&passed_over=1`);
      const known = await service.verify('cc22c1ec86304b36883440e2e84cddff', 'shop.example.com');
      expect(known.body).to.include({ valid: true });
    });

    itLong('200 and 303 for several products, and those of the file that are not named', async () => {
      const send = (map: string, more: object = { check: 'yes' }) =>
        ada.browser.fill(path, { from: 'edd', map, ...more, file: file(edd) });
      const asked = await send('');
      expect(asked.text).to.include('Products there without a product here').and.to.include('Jar');
      const named = await send('Jar=jar\r\n');
      expect(named.text).to.include('An import would add 2 licenses').and.not.to.include('Products there without');
      expect((await send('Jar', {})).text).to.include('Write on each line a product there');
      expect((await send('Jar=jar', { product: 'jar' })).text).to.include('Name either one product or several.');
      expect((await send('', { their_product: 'Jar' })).text).to.include('Choose the product of these licenses.');
      expect(await keysOf()).to.deep.equal([]);
      const sent = await send('Jar=jar', {});
      const done = await ada.browser.get(sent.location ?? '');
      expect(done.text).to.include('2 licenses imported').and.to.include('1 line of the file was passed over');
    });

    itLong('200 with the faults of a file of our own form', async () => {
      const page = await ada.browser.fill(path, { check: 'yes', file: file('product\njar\nnone\n') });
      expect(page.text).to.include('An import would add 1 license').and.to.include('The file has a fault');
      expect(page.text).to.include('No product has this id or slug.');
      expect(await keysOf()).to.deep.equal([]);
      await nothingLeft();
    });

    it('counts licenses, and no lines, in an export that is JSON', async () => {
      const key = (text: string) => ({ attributes: { key: text, status: 'active', product_id: 5 } });
      const json = JSON.stringify({ data: [key('a-key-of-lemons'), key('A-KEY-of-lemons')] });
      const checked = { product: 'jar', from: 'lemonsqueezy', check: 'yes', file: file(json) };
      const page = await ada.browser.fill(path, checked);
      const heads = page.elements('th').map(({ text }) => text);
      expect(heads).to.include('License').and.not.to.include('Line');
      expect(page.text).to.include('License 1 already has this alias.');
    });

    itLong('422 for a product there or here without its system, and nothing is imported', async () => {
      const text = 'product\njar\n';
      for (const [field, message] of [
        ['product', 'In other files, each line names its product.'],
        ['their_product', 'Choose where the file comes from too.'],
        ['map', 'Choose where the file comes from too.'],
      ] as const) {
        const page = await ada.browser.fill(path, { from: '', [field]: 'jar', file: file(text) });
        expect([page.status, page.text.includes(message)], field).to.deep.equal([422, true]);
      }
      expect(await keysOf()).to.deep.equal([]);
    });

    itLong('422 without a product, for an unknown system, and for products of others', async () => {
      const send = (more: object) => ada.browser.fill(path, { ...chosen, ...more, file: file(edd) });
      expect((await send({ product: '' })).text).to.include('Choose the product of these licenses.');
      for (const wrong of [{ product: '' }, { from: 'excel' }, { product: 'dex' }, { product: 'test-jar' }]) {
        expect((await send(wrong)).status, JSON.stringify(wrong)).to.equal(422);
      }
      expect(await keysOf()).to.deep.equal([]);
    });
  });
});
