import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { t } from '../../../apps/wiring/tokens.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { until } from '../../support/eventually.ts';
import { boundary, formOf, formRequest, listingForm, type Part, partHead } from '../../support/forms.ts';
import { dial, raw } from '../../support/raw-http.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { climbingZip, jpgOf, pngOf, zipBomb, zipOf } from '../../support/samples.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { type Account, type AccountService, startAccountService } from './account/account-service.ts';

const publishPath = '/api/marketplace/publish';
const uploadPath = '/api/marketplace/upload';
const php = Buffer.from('<?php system($_GET["c"]); ?>');

/** Expects that nothing of a refused request is left, and that the next request succeeds. */
async function expectNothingLeft({ rows, files }: AccountService, account: Account): Promise<void> {
  expect(await files()).to.deep.equal([]);
  const tables = ['products', 'uploads', 'kept_files', 'idempotency'];
  expect(await Promise.all(tables.map(rows))).to.deep.equal([[], [], [], []]);
  expect((await rows('audit_log')).filter(({ type }) => String(type).startsWith('product.'))).to.deep.equal([]);
  expect((await account.get('/api/auth/me')).status).to.equal(200);
}

describe('refused uploads', () => {
  let service: AccountService;
  let account: Account;
  before(async () => {
    service = await startAccountService();
    account = await service.account();
  });
  after(() => service.close());
  afterEach(() => expectNothingLeft(service, account));

  type Hostile = readonly [name: string, filename: string, bytes: () => Buffer | Promise<Buffer>, why: RegExp];
  const files: readonly Hostile[] = [
    ['a PHP file named .png', 'a.png', () => php, /neither a zip nor a PNG or JPG image/],
    ['PHP after the first bytes of a PNG', 'a.png', () => Buffer.concat([pngOf().subarray(0, 8), php]), /broken/],
    ['a PNG with PHP after its end', 'a.png', () => Buffer.concat([pngOf(), php]), /other data after its end/],
    ['a page named .jpg', 'a.jpg', () => Buffer.from('<html><script>alert(1)</script>'), /neither a zip/],
    ['an SVG image', 'a.svg', () => Buffer.from('<svg onload="x" xmlns="http://www.w3.org/2000/svg"/>'), /neither/],
    ['a GIF image', 'a.gif', () => Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'), /image\/gif, neither/],
    ['an empty file', 'a.zip', () => Buffer.alloc(0), /empty/],
    ['a zip bomb', 'a.zip', zipBomb, /unpacks to more than/],
    [
      'a zip with an entry outside its folder',
      'a.zip',
      climbingZip,
      /"\.\.\/evil\.txt" has a name that is not safe to unpack/,
    ],
    ['a truncated zip', 'a.zip', async () => (await zipOf()).subarray(0, -30), /broken or cut off/],
    ['a zip cut off in its first entry', 'a.zip', async () => (await zipOf()).subarray(0, 40), /broken or cut off/],
    ['a zip without entries', 'a.zip', () => zipOf([]), /empty zip/],
    [
      'a PNG of 20,000 x 20,000',
      'a.png',
      () => pngOf(20_000, 20_000, { isHeaderOnly: true }),
      /20,000 x 20,000 pixels/,
    ],
    ['a PNG of 0 x 1', 'a.png', () => pngOf(0, 1), /must be at least 1/],
    ['a truncated PNG', 'a.png', () => pngOf().subarray(0, -12), /broken or cut off/],
    ['a truncated JPG', 'a.jpg', () => jpgOf().subarray(0, -2), /broken or cut off/],
  ];
  for (const [name, filename, make, why] of files) {
    it(`${name} is refused with its reason, by upload and in both fields of publish`, async () => {
      const file = { bytes: await make(), filename };
      const uploaded = await account.submit(uploadPath, formOf({ file }));
      expect(uploaded.status).to.equal(422);
      expect(uploaded.body.error.code).to.equal('VALIDATION_ERROR');
      expect(uploaded.body.error.fields).to.have.all.keys('file');
      expect(uploaded.body.error.fields.file).to.have.length(1);
      expect(uploaded.body.error.fields.file[0]).to.match(why);
      for (const field of ['product_zip', 'thumbnail']) {
        const published = await account.submit(publishPath, listingForm({ [field]: file }));
        expect(published.status, field).to.equal(422);
        expect(published.body.error.fields, field).to.have.all.keys(field);
        expect(published.body.error.fields[field][0], field).to.match(why);
      }
    });
  }

  const png = pngOf();
  type Refused = readonly [
    name: string,
    parts: () => Promise<Record<string, Part | undefined>>,
    fields: readonly string[],
  ];
  const forms: readonly Refused[] = [
    ['an image as the zip', async () => ({ product_zip: png }), ['product_zip']],
    ['a zip as the thumbnail', async () => ({ thumbnail: await zipOf() }), ['thumbnail']],
    ['the zip as a text', async () => ({ product_zip: 'PK' }), ['product_zip']],
    ['a file in a text field', async () => ({ title: png, thumbnail: undefined }), ['title', 'thumbnail']],
    [
      'a file and a text in one field',
      async () => ({ title: ['A', png], thumbnail: undefined }),
      ['title', 'thumbnail'],
    ],
    ['a file in an unknown field', async () => ({ more: png, thumbnail: undefined }), ['more', 'thumbnail']],
    [
      'two zips in one field',
      async () => ({ product_zip: [await zipOf(), await zipOf()], thumbnail: undefined }),
      ['product_zip', 'thumbnail'],
    ],
    ...['__proto__', 'constructor', 'toString'].map((name): Refused => {
      const parts: [string, Part | undefined][] = [
        [name, png],
        ['thumbnail', undefined],
      ];
      return [`a file in a field named ${name}`, async () => Object.fromEntries(parts), [name, 'thumbnail']];
    }),
  ];
  for (const [name, make, fields] of forms) {
    it(`${name} is refused, and the answer names the fields`, async () => {
      const answer = await account.submit(publishPath, listingForm(await make()));
      expect(answer.status).to.equal(422);
      expect(answer.body.error.code).to.equal('VALIDATION_ERROR');
      expect(Object.keys(answer.body.error.fields)).to.have.members([...fields]);
    });
  }

  it('a file in a text field gets the message that the field takes no file', async () => {
    const answer = await account.submit(publishPath, listingForm({ tagline: png, thumbnail: undefined }));
    expect(answer.body.error.fields.tagline).to.include('It takes no file.');
  });

  const tooMuch: Readonly<Record<string, Record<string, Part>>> = {
    'three files': { more: png },
    'a hundred files in one field': { thumbnail: Array(100).fill(png) },
    '131 fields': Object.fromEntries(Array.from({ length: 131 }, (_, index) => [`field${index}`, 'x'])),
    'one field 131 times': { tags: Array(131).fill('[]') },
    'a text of more than 100,000 bytes': { description: 'x'.repeat(100_001) },
    'a field name of 101 characters': { ['x'.repeat(101)]: 'x' },
    'a file in a field without a name': { '': png },
  };
  for (const [name, parts] of Object.entries(tooMuch)) {
    it(`422 from publish and upload for ${name}`, async () => {
      for (const path of [publishPath, uploadPath]) {
        const answer = await account.submit(path, listingForm(parts));
        expect(answer.status, path).to.equal(422);
        expect(answer.body.error.code, path).to.equal('VALIDATION_ERROR');
      }
    });
  }

  it('400 BAD_REQUEST for a form without a boundary, or with an invalid one', async () => {
    const form = 'multipart/form-data';
    const types = ['', ';', '; boundary', '; boundary=', '; boundary=""', '; =x', `; boundary=${'x'.repeat(5000)}`];
    for (const type of types) {
      const body = `${partHead('file', 'a.png')}x\r\n--${boundary}--\r\n`;
      const answer = await account.send(uploadPath, {
        method: 'POST',
        headers: { 'Content-Type': form + type },
        body,
      });
      expect(answer.status, type.slice(0, 20)).to.equal(400);
      expect(answer.body.error.code).to.equal('BAD_REQUEST');
    }
  });

  itLong('many bad files at once leave nothing, and do not harm a good one between them', async () => {
    const bad = await Promise.all(files.map(async ([, filename, make]) => ({ filename, bytes: await make() })));
    const good = account.submit(uploadPath, formOf({ file: png }));
    const answers = await Promise.all(bad.map((file) => account.submit(uploadPath, formOf({ file }))));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([422]));
    const { status, body } = await good;
    expect(status).to.equal(200);
    expect(await service.files()).to.deep.equal([`media/${body.filename}`]);
    await (await service.parts.get(t.files)).delete(`media/${body.filename}`);
    await service.database.write(async (trx) => {
      await trx('uploads').delete();
      await trx('kept_files').delete();
      await trx('users').update({ bytes_kept: 0 });
    });
  });
});

describe('uploads that are too large', () => {
  let service: AccountService;
  let account: Account;
  let zip: Buffer;
  const image = pngOf(1, 1, { comment: 1000 });
  before(async () => {
    zip = await zipOf([{ name: 'random', content: randomBytes(50_000) }]);
    service = await startAccountService({ MAX_ZIP_SIZE: String(zip.length), MAX_IMAGE_SIZE: String(image.length) });
    account = await service.account();
  });
  after(() => service.close());

  const expectTooLarge = async (answer: Awaited<ReturnType<Account['submit']>>) => {
    expect(answer.status).to.equal(413);
    expect(answer.body.error).to.have.all.keys('code', 'message');
    expect(answer.body.error.code).to.equal('PAYLOAD_TOO_LARGE');
    await expectNothingLeft(service, account);
  };

  it('413 for a zip one byte over its limit, in publish and upload', async () => {
    const larger = Buffer.concat([zip, Buffer.alloc(1)]);
    await expectTooLarge(await account.submit(publishPath, listingForm({ product_zip: larger })));
    await expectTooLarge(await account.submit(uploadPath, formOf({ file: larger })));
  });

  it('413 for an image one byte over its limit, in publish and upload, although a zip may be larger', async () => {
    const larger = pngOf(1, 1, { comment: 1001 });
    await expectTooLarge(await account.submit(publishPath, listingForm({ thumbnail: larger })));
    await expectTooLarge(await account.submit(uploadPath, formOf({ file: larger })));
  });

  it('413 whichever file comes first, and the good one is not stored', async () => {
    const larger = Buffer.concat([zip, zip]);
    const form = formOf({ thumbnail: image });
    for (const [name, value] of listingForm({ product_zip: larger, thumbnail: undefined })) form.append(name, value);
    await expectTooLarge(await account.submit(publishPath, form));
    await expectTooLarge(await account.submit(publishPath, listingForm({ thumbnail: larger })));
  });

  it('413 before the body is read, if its Content-Length is larger than any valid form', async () => {
    for (const path of [publishPath, uploadPath]) {
      const answer = await raw(service.url, formRequest(path, account.key, '', { 'Content-Length': '100000000000' }));
      expect(answer).to.match(/^HTTP\/1\.1 413 /);
      expect(answer).to.match(/^Connection: close\r$/im);
      expect(answer).to.include('"code":"PAYLOAD_TOO_LARGE"');
      await expectNothingLeft(service, account);
    }
  });

  it('413 for one without a Content-Length', async () => {
    const content = 'x'.repeat(zip.length + 1);
    const body = `${partHead('file', 'a.zip')}${content}\r\n--${boundary}--\r\n`;
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const request = formRequest(uploadPath, account.key, chunked, { 'Transfer-Encoding': 'chunked' });
    expect(await raw(service.url, request)).to.match(/^HTTP\/1\.1 413 /);
    await expectNothingLeft(service, account);
  });

  it('413 as soon as a file is too large, even if the client never stops sending', async () => {
    const head = formRequest(uploadPath, account.key, '', { 'Transfer-Encoding': 'chunked' });
    const part = partHead('file', 'a.zip') + 'x'.repeat(100_000);
    const answer = await raw(service.url, `${head}${part.length.toString(16)}\r\n${part}\r\n`);
    expect(answer).to.match(/^HTTP\/1\.1 413 /);
    expect(answer).to.match(/^Connection: close\r$/im);
    await expectNothingLeft(service, account);
  });

  it('422 as soon as there are too many files, even if the client never stops sending', async () => {
    const head = formRequest(uploadPath, account.key, '', { 'Transfer-Encoding': 'chunked' });
    const part = `${partHead('file', 'a.zip')}x\r\n`.repeat(3);
    const answer = await raw(service.url, `${head}${part.length.toString(16)}\r\n${part}\r\n`);
    expect(answer).to.match(/^HTTP\/1\.1 422 /);
    expect(answer).to.include('There are too many files.');
    await expectNothingLeft(service, account);
  });

  it('413 for an endless form without a file', async () => {
    const head = formRequest(uploadPath, account.key, '', { 'Transfer-Encoding': 'chunked' });
    const preamble = 'x'.repeat(1_200_000);
    const answer = await raw(service.url, `${head}${preamble.length.toString(16)}\r\n${preamble}\r\n`);
    expect(answer).to.match(/^HTTP\/1\.1 413 /);
    await expectNothingLeft(service, account);
  });

  it('200 for a zip and an image of exactly the maximum size', async () => {
    const answer = await account.submit(publishPath, listingForm({ product_zip: zip, thumbnail: image }));
    expect(answer.status).to.equal(200);
    expect(await service.files()).to.have.length(2);
  });
});

describe('a file that is too large', () => {
  itLong('gets 413, even if the next file begins in the same piece of the body', async () => {
    await using service = await startAccountService({ MAX_ZIP_SIZE: '20000', MAX_IMAGE_SIZE: '50000' });
    const account = await service.account('pro');
    // Node reads 65,536 bytes at once: the whole first file and the beginning of the second one.
    const zip = `${partHead('product_zip', 'a.zip')}${'x'.repeat(30_000)}\r\n`;
    const body = `${zip}${partHead('thumbnail', 'a.png')}${'x'.repeat(45_000)}\r\n--${boundary}--\r\n`;
    const request = formRequest(publishPath, account.key, body, { 'Content-Length': String(body.length) });
    expect(await raw(service.url, request)).to.match(/^HTTP\/1\.1 413 /);
    await expectNothingLeft(service, account);
  });
});

describe('a client that disconnects', () => {
  let service: AccountService;
  let account: Account;
  before(async () => {
    service = await startAccountService();
    account = await service.account();
  });
  after(() => service.close());

  const staged = (count: number) => until(async () => (await service.files()).length === count);
  const image = pngOf().toString('latin1');
  const texts = `${partHead('title')}Token Launcher\r\n${partHead('tagline')}Launch`;
  const places: readonly (readonly [place: string, body: string, files: number])[] = [
    ['before its first part', '', 0],
    ['in a text', texts, 0],
    ['in the headers of a file', `${texts}\r\n${partHead('thumbnail', 'a.png').slice(0, -10)}`, 0],
    ['at the start of a file', partHead('thumbnail', 'a.png') + image.slice(0, 20), 1],
    ['in a file', partHead('thumbnail', 'a.png') + image.padEnd(200_000, 'x'), 1],
    ['between two files', `${partHead('thumbnail', 'a.png')}${image}\r\n${partHead('title')}x`, 1],
    [
      'in the second file',
      `${partHead('thumbnail', 'a.png')}${image}\r\n${partHead('product_zip', 'a.zip')}PK\x03\x04`,
      2,
    ],
    ['before the last boundary', `${partHead('thumbnail', 'a.png')}${image}`, 1],
  ];
  for (const [place, body, files] of places) {
    for (const headers of [{ 'Content-Length': '1000000' }, { 'Transfer-Encoding': 'chunked' }] as const) {
      const [kind] = Object.keys(headers);
      it(`${place} leaves nothing behind (${kind})`, async () => {
        const sent = 'Content-Length' in headers || body === '' ? body : `f0000\r\n${body}`;
        for (const path of files < 2 ? [publishPath, uploadPath] : [publishPath]) {
          const request = formRequest(path, account.key, sent, { ...headers, 'Idempotency-Key': 'broken' });
          const socket = await dial(service.url, request);
          await staged(files);
          socket.destroy();
          await staged(0);
          await expectNothingLeft(service, account);
        }
      });
    }
  }

  it('while others send does not harm their uploads', async () => {
    const body = partHead('file', 'a.png') + image.slice(0, 20);
    const request = formRequest(uploadPath, account.key, body, { 'Content-Length': '1000000' });
    const sockets = await Promise.all(Array.from({ length: 8 }, () => dial(service.url, request)));
    await staged(8);
    const answer = await account.submit(uploadPath, formOf({ file: pngOf() }));
    expect(answer.status).to.equal(200);
    for (const socket of sockets) socket.destroy();
    await staged(1);
    expect(await service.files()).to.deep.equal([`media/${answer.body.filename}`]);
  });

  itLong('after its last byte leaves its whole product or nothing', async () => {
    const zip = (await zipOf()).toString('latin1');
    const body = [
      ...Object.entries({
        module: 'token',
        title: 'Gone',
        tagline: 'Gone',
        description: 'x'.repeat(20),
        price: '0',
      }).map(([name, value]) => `${partHead(name)}${value}\r\n`),
      `${partHead('thumbnail', 'a.png')}${image}\r\n`,
      `${partHead('product_zip', 'a.zip')}${zip}\r\n--${boundary}--\r\n`,
    ].join('');
    const request = formRequest(publishPath, account.key, body, { 'Content-Length': String(body.length) });
    const before = (await service.files()).length;
    for (let time = 0; time < 10; time++) (await dial(service.url, request)).destroy();
    const products = () => service.rows('products');
    await until(async () => {
      const files = await service.files();
      return files.every((file) => !file.startsWith('tmp/')) && files.length === before + 2 * (await products()).length;
    });
    for (const { zip, thumbnail } of await products())
      expect(await service.files()).to.include.members([zip, thumbnail]);
  });
});

describe('an outage while a product is published', () => {
  itLong('leaves no file if the second one cannot be stored', async () => {
    await using service = await startAccountService();
    const account = await service.account();
    const disk = await service.parts.get(t.disk);
    const { put } = disk;
    disk.put = async (key, path) => {
      if (key.startsWith('media/')) throw new Unavailable('The disk is full.');
      await put(key, path);
    };
    const answer = await account.submit(publishPath, listingForm());
    expect(answer.status).to.equal(503);
    expect(answer.body.error.code).to.equal('SERVICE_UNAVAILABLE');
    expect(answer.headers.get('retry-after')).to.equal('1');
    await expectNothingLeft(service, account);
    disk.put = put;
    expect((await account.submit(publishPath, listingForm())).status).to.equal(200);
  });

  itLong('leaves no file if the database fails, and does not reveal the error', async () => {
    await using service = await startAccountService();
    const account = await service.account();
    for (const [store, path, form] of [
      [await service.parts.get(t.productStore), publishPath, listingForm()],
      [await service.parts.get(t.uploadLog), uploadPath, formOf({ file: pngOf() })],
    ] as const) {
      const { add } = store;
      store.add = async () => {
        throw new Error('INSERT INTO secrets');
      };
      const answer = await account.submit(path, form);
      expect(answer.status).to.equal(500);
      expect(answer.text).to.not.include('INSERT');
      expect(answer.body.error).to.deep.equal({ code: 'INTERNAL', message: 'Something went wrong on our side.' });
      await expectNothingLeft(service, account);
      Object.assign(store, { add });
    }
  });
});

describe('an upload to a full disk', () => {
  needing(smallDisk.skip).it('gets 503, and leaves nothing', async () => {
    const service = await startAccountService();
    try {
      const account = await service.account();
      const { staging } = await service.parts.get(t.files);
      const bytes = Buffer.concat([pngOf(), randomBytes(500_000)]);
      using _ = smallDisk.mount(staging, '64k');
      const { status } = await account.submit(uploadPath, formOf({ file: { bytes, filename: 'a.png' } }));
      expect(status).to.equal(503);
      expect(await readdir(staging)).to.deep.equal([]);
      await writeFile(join(staging, 'large'), Buffer.alloc(64 * 1024)).catch(() => undefined);
      const ready = await service.send('/health/ready');
      expect([ready.status, ready.body.checks.files]).to.deep.equal([503, 'down']);
    } finally {
      await service.close();
    }
  });
});
