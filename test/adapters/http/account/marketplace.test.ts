import { expect } from 'chai';
import fc from 'fast-check';
import sharp from 'sharp';
import { listingLimits } from '../../../../core/marketplace/product.ts';
import { operator } from '../../../support/by.ts';
import { boundary, formOf, formRequest, listingForm, type Part, partHead } from '../../../support/forms.ts';
import { raw } from '../../../support/raw-http.ts';
import { itLong } from '../../../support/required-service.ts';
import { runs } from '../../../support/runs.ts';
import { jpgOf, pngOf, zipOf } from '../../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const publishPath = '/api/marketplace/publish';
const uploadPath = '/api/marketplace/upload';
const minePath = '/api/marketplace/my-products';

describe('POST /api/marketplace/publish', () => {
  let service: AccountService;
  let account: Account;
  before(async () => {
    service = await startAccountService();
    account = await service.account('free');
  });
  after(() => service.close());

  /** Returns the errors for a form. It has no files, so that nothing is ever stored. */
  async function faultsOf(parts: Readonly<Record<string, Part | undefined>>): Promise<Record<string, string[]>> {
    const answer = await account.submit(
      publishPath,
      listingForm({ ...parts, product_zip: undefined, thumbnail: undefined }),
    );
    expect(answer.status).to.equal(422);
    const { product_zip, thumbnail, ...faults } = answer.body.error.fields;
    expect([product_zip, thumbnail]).to.deep.equal([['It is required.'], ['It is required.']]);
    return faults;
  }

  itLong('200 with a pending product and its address, on every tier', async () => {
    for (const tier of ['free', 'pro', 'enterprise'] as const) {
      const seller = await service.account(tier);
      const answer = await seller.submit(publishPath, listingForm({ title: `On ${tier}` }));
      expect(answer.status).to.equal(200);
      const { product, marketplace_url } = answer.body;
      expect(answer.body).to.deep.equal({
        success: true,
        product: { id: product.id, slug: `on-${tier}`, title: `On ${tier}`, status: 'pending', livemode: true },
        marketplace_url,
      });
      expect(product.id).to.be.a('number');
      expect(marketplace_url.startsWith(`${service.url}/marketplace/on-${tier}?preview=`)).to.equal(true);
      expect(answer.headers.get('cache-control')).to.equal('no-store');
    }
  });

  itLong('200 with all fields; my-products returns them', async () => {
    const seller = await service.account();
    const answer = await seller.submit(
      publishPath,
      listingForm({
        title: '  Füll DEX 🦄 ',
        tagline: ' Swap anything ',
        description: '  A decentralised exchange.\r\nReady to deploy.  ',
        price: ' 49.9 ',
        module: ' dex ',
        variant: ' v2 ',
        is_supported: 'true',
        category: ' defi ',
        subcategory: 'amm',
        tags: '["  defi", "dex"]',
        blockchains: ' ["Ethereum","Base"] ',
        thumbnail: jpgOf(),
        unknown: 'ignored',
      }),
    );
    expect(answer.status).to.equal(200);
    const [item] = (await seller.get(minePath)).body.data;
    const { thumbnail_url } = item;
    expect(item).to.deep.equal({
      id: answer.body.product.id,
      slug: 'full-dex',
      title: 'Füll DEX 🦄',
      tagline: 'Swap anything',
      description: 'A decentralised exchange.\r\nReady to deploy.',
      status: 'pending',
      price: '49.90',
      module: 'dex',
      variant: 'v2',
      category: 'defi',
      subcategory: 'amm',
      tags: ['defi', 'dex'],
      blockchains: ['Ethereum', 'Base'],
      is_supported: true,
      livemode: true,
      thumbnail_url,
      marketplace_url: answer.body.marketplace_url,
      version: '1',
      seller_name: null,
      links: { demo: null, source: null, video: null },
      prices: {},
      pay_what_you_want: null,
      rejection_reason: null,
      archived_at: null,
      terms: {
        max_domains: 1,
        duration: null,
        local_hosts_are_free: false,
        preview_hosts: [],
        www_is_apex: false,
        moves_per_month: 3,
        rotations_per_year: 0,
        lease_hours: 168,
        on_refund: 'revoke',
        domain_proof: 'never',
        deactivation: 'key',
        cool_down_hours: 24,
      },
      template: null,
      bundle: null,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    const thumbnail = await fetch(thumbnail_url);
    expect(thumbnail.headers.get('content-type')).to.equal('image/jpeg');
    expect(await sharp(await thumbnail.arrayBuffer()).metadata()).to.include({ format: 'jpeg', width: 1, height: 1 });
  });

  itLong('200 if the optional fields are missing or blank', async () => {
    const seller = await service.account();
    const blank = { variant: ' ', category: '', subcategory: '\t', tags: '', blockchains: '  ' };
    for (const parts of [{}, blank]) {
      expect((await seller.submit(publishPath, listingForm(parts))).status).to.equal(200);
      const [item] = (await seller.get(minePath)).body.data;
      expect(item).to.deep.include({
        variant: null,
        category: null,
        subcategory: null,
        tags: [],
        blockchains: [],
        is_supported: false,
      });
    }
  });

  itLong('200 for every way to write the price 0', async () => {
    const seller = await service.account();
    for (const price of ['0', '0.0', '0.00', '00']) {
      expect((await seller.submit(publishPath, listingForm({ price }))).status, price).to.equal(200);
      expect((await seller.get(minePath)).body.data[0].price, price).to.equal('0.00');
    }
  });

  itLong('200 with different slugs for products with the same title, published concurrently', async () => {
    const sellers = [await service.account(), await service.account()];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (sellers[index % 2] ?? account).submit(publishPath, listingForm({ title: 'Same Title' })),
      ),
    );
    const slugs = answers.map(({ body }) => body.product.slug).sort();
    expect(slugs).to.deep.equal(['same-title', ...[2, 3, 4, 5, 6, 7, 8].map((number) => `same-title-${number}`)]);
  });

  itLong('200 with a usable slug for any title', async () => {
    const seller = await service.account();
    for (const title of ['東京', '2024', '../../etc/passwd', '🦄', '<script>']) {
      const { status, body } = await seller.submit(publishPath, listingForm({ title }));
      expect(status, title).to.equal(200);
      expect(body.product.title).to.equal(title);
      expect(body.product.slug).to.match(/^(?!\d+$)[a-z0-9]+(-[a-z0-9]+)*$/);
      expect((await fetch(body.marketplace_url)).status, title).to.equal(200);
    }
  });

  it('422 with all errors of fields and files in one response, by field', async () => {
    const answer = await account.submit(
      publishPath,
      formOf({
        module: ' ',
        variant: 'x'.repeat(51),
        tagline: 'x'.repeat(61),
        description: 'too short',
        price: '1.234',
        is_supported: 'yes',
        category: 'x'.repeat(51),
        subcategory: ['a', 'b'],
        tags: 'defi, dex',
        blockchains: '[1]',
        product_zip: pngOf(),
        thumbnail: await zipOf(),
      }),
    );
    expect(answer.status).to.equal(422);
    const { code, message, fields } = answer.body.error;
    expect({ code, message }).to.deep.equal({
      code: 'VALIDATION_ERROR',
      message: 'Some of the parameters are not valid.',
    });
    expect(fields).to.deep.equal({
      module: ['It must not be empty.'],
      variant: ['It must have at most 50 characters.'],
      title: ['It is required.'],
      tagline: ['It must have at most 60 characters.'],
      description: ['It must have at least 20 characters.'],
      price: ['It must be an amount in US dollars below 10,000,000, such as 49 or 49.90.'],
      is_supported: ['It must be true or false.'],
      category: ['It must have at most 50 characters.'],
      subcategory: ['It must be one text.'],
      tags: ['It must be a JSON array of at most 20 texts of 1 to 50 characters.'],
      blockchains: ['It must be a JSON array of at most 20 texts of 1 to 50 characters.'],
      product_zip: ['It must be ZIP.'],
      thumbnail: ['It must be PNG or JPG.'],
    });
  });

  it('422 with all required fields if none of them is sent', async () => {
    const answer = await account.submit(publishPath, formOf({ nothing: '' }));
    const required = ['module', 'title', 'tagline', 'description', 'price', 'product_zip', 'thumbnail'];
    expect(answer.status).to.equal(422);
    expect(answer.body.error.fields).to.deep.equal(
      Object.fromEntries(required.map((field) => [field, ['It is required.']])),
    );
  });

  const wrong: readonly (readonly [field: string, values: readonly Part[]])[] = [
    ['module', ['', ' ', 'x'.repeat(51), ['a', 'b']]],
    ['variant', ['x'.repeat(51), ['a', 'b']]],
    ['title', ['', '\u00a0', 'x'.repeat(121), ['a', 'b']]],
    ['tagline', ['', 'x'.repeat(61), ['a', 'b']]],
    ['description', ['', 'x'.repeat(19), ` ${'x'.repeat(19)} `, 'x'.repeat(20_001), ['a', 'b']]],
    ['price', ['', 'free', '-1', '1e3', '0x10', '.5', '5.', '1.005', '12345678', '1,50', '$5', 'NaN', ['1', '2']]],
    ['is_supported', ['TRUE', '1', 'yes', ['true', 'true']]],
    ['category', ['x'.repeat(51), ['a', 'b']]],
    ['subcategory', ['x'.repeat(51), ['a', 'b']]],
    [
      'tags',
      [
        'a',
        '"a"',
        '{}',
        '[',
        '[1]',
        '[null]',
        '[["a"]]',
        '[""]',
        '[" "]',
        'null',
        '{"0":"a","length":1}',
        JSON.stringify(['x'.repeat(51)]),
        JSON.stringify(Array(21).fill('a')),
        ['["a"]', '["b"]'],
      ],
    ],
    ['blockchains', ['Base', '[true]', JSON.stringify(Array(21).fill('a'))]],
  ];
  for (const [field, values] of wrong) {
    it(`422 naming ${field}, and nothing else, for each value that it cannot have`, async () => {
      for (const value of values) {
        const faults = await faultsOf({ [field]: value });
        expect(faults, JSON.stringify(value).slice(0, 60)).to.have.all.keys(field);
        expect(faults[field]).to.have.length(1);
      }
    });
  }

  it('accepts every field at its maximum length', async () => {
    const most = {
      title: 120,
      module: 50,
      variant: 50,
      category: 50,
      subcategory: 50,
      tagline: 60,
      description: 20_000,
    };
    const words = JSON.stringify(Array(20).fill('🦄'.repeat(50)));
    const texts = Object.entries(most).map(([field, length]) => [field, '🦄'.repeat(length)]);
    expect(await faultsOf({ ...Object.fromEntries(texts), tags: words, blockchains: words })).to.deep.equal({});
    expect(await faultsOf({ description: 'x'.repeat(20), price: '9999999.99', is_supported: 'false' })).to.deep.equal(
      {},
    );
  });

  itLong('accepts only prices with 1 to 7 digits and up to 2 decimals', async () => {
    const price = fc.oneof(
      fc.stringMatching(/^\d{0,9}(\.\d{0,3})?$/),
      fc.string({ unit: fc.constantFrom('0', '9', '.', ',', '-', '+', 'e', ' ', '٣'), maxLength: 10 }),
    );
    await fc.assert(
      fc.asyncProperty(price, async (text) => {
        const isPrice = /^\d{1,7}(\.\d{1,2})?$/.test(text.trim());
        expect('price' in (await faultsOf({ price: text }))).to.equal(!isPrice);
      }),
      { numRuns: runs(100) },
    );
  });

  /** Characters of one or two UTF-16 units. None is a blank. */
  const character = fc.constantFrom('x', 'é', '東', '🦄', '𝕏', '\u{10ffff}', '\u200d', '\u0301', '👩');
  const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\u00a0', '\u3000', '\ufeff'), maxLength: 5 });
  const around = (least: number, most: number) =>
    fc.tuple(blanks, fc.string({ unit: character, minLength: least, maxLength: most }), blanks);

  itLong('counts the tagline in code points, without the blanks around it', async () => {
    await fc.assert(
      fc.asyncProperty(around(listingLimits.tagline - 4, listingLimits.tagline + 4), async (parts) => {
        const isTooLong = Array.from(parts[1]).length > 60;
        expect('tagline' in (await faultsOf({ tagline: parts.join('') }))).to.equal(isTooLong);
      }),
      { numRuns: runs(60) },
    );
  });

  itLong('counts the description in code points, without the blanks around it', async () => {
    await fc.assert(
      fc.asyncProperty(
        around(listingLimits.descriptionAtLeast - 4, listingLimits.descriptionAtLeast + 4),
        async (parts) => {
          const isTooShort = Array.from(parts[1]).length < 20;
          expect('description' in (await faultsOf({ description: parts.join('') }))).to.equal(isTooShort);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('415 if the body is not multipart/form-data', async () => {
    for (const type of [
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/mixed; boundary=x',
      'text/plain',
    ]) {
      const answer = await account.send(publishPath, { method: 'POST', headers: { 'Content-Type': type }, body: '{}' });
      expect(answer.status, type).to.equal(415);
      expect(answer.body.error.code, type).to.equal('UNSUPPORTED_MEDIA_TYPE');
    }
    const nothing = await account.send(publishPath, { method: 'POST' });
    expect(nothing.status).to.equal(415);
  });

  it('400 BAD_REQUEST for a form that cannot be read', async () => {
    const bodies = {
      empty: '',
      garbage: 'garbage',
      'only a boundary': `--${boundary}`,
      'a part without an end': `${partHead('title')}x`,
      'a file without an end': `${partHead('product_zip', 'a.zip')}PK`,
      'a part with an invalid header': `--${boundary}\r\nnonsense\r\n\r\nx\r\n--${boundary}--\r\n`,
      'another boundary': '--other\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--other--\r\n',
    };
    for (const [name, body] of Object.entries(bodies)) {
      const request = formRequest(publishPath, account.key, body, { 'Content-Length': String(body.length) });
      const answer = await raw(service.url, request);
      expect(answer, name).to.match(/^HTTP\/1\.1 400 /);
      expect(answer, name).to.include('"code":"BAD_REQUEST"');
    }
  });
});

describe('GET /api/marketplace/my-products', () => {
  let service: AccountService;
  before(async () => {
    service = await startAccountService();
  });
  after(() => service.close());

  async function sellerOf(count: number): Promise<Account> {
    const seller = await service.account();
    for (let number = 1; number <= count; number++) {
      await service.products.add({ title: `Product ${number}`, ownerId: seller.user.id }, operator);
    }
    return seller;
  }

  it('200 with an empty page if the seller has no products', async () => {
    const seller = await service.account();
    const answer = await seller.get(minePath);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({
      success: true,
      data: [],
      current_page: 1,
      last_page: 1,
      per_page: 15,
      total: 0,
    });
  });

  itLong('200 with 15 items a page, newest first', async () => {
    const seller = await sellerOf(31);
    const page = async (number: number) => (await seller.get(minePath, { page: String(number) })).body;
    const titles = (body: { data: { title: string }[] }) => body.data.map(({ title }) => title);
    const first = await page(1);
    expect(first).to.include({ success: true, current_page: 1, last_page: 3, per_page: 15, total: 31 });
    expect(titles(first)).to.deep.equal(Array.from({ length: 15 }, (_, index) => `Product ${31 - index}`));
    expect(titles(await page(3))).to.deep.equal(['Product 1']);
    const past = await page(4);
    expect(past).to.deep.include({ data: [], current_page: 4, last_page: 3, total: 31 });
  });

  itLong(
    'uses page 1 if the page is not a positive integer, and returns an empty page after the last one',
    async () => {
      const seller = await sellerOf(2);
      for (const page of ['0', '-1', '-99999999999', '', 'x', '1e1', '0x2', '1.5', ' 2', 'NaN', "2' OR 1=1"]) {
        const { status, body } = await seller.get(minePath, { page, per_page: '1' });
        expect(status, page).to.equal(200);
        expect(body.current_page, page).to.equal(1);
        expect(body.data, page).to.have.length(1);
      }
      for (const page of ['3', '1000000', '999999999', '9999999999', '9'.repeat(400)]) {
        const { status, body } = await seller.get(minePath, { page, per_page: '1' });
        expect(status, page).to.equal(200);
        expect(body.data, page).to.deep.equal([]);
        expect(body.current_page, page).to.be.greaterThan(2);
      }
    },
  );

  itLong('keeps per_page between 1 and 100', async () => {
    const seller = await sellerOf(3);
    for (const [per_page, used] of [
      ['1', 1],
      ['100', 100],
      ['101', 100],
      ['99999999999', 100],
      ['0', 1],
      ['-5', 1],
      ['x', 15],
      ['', 15],
    ] as const) {
      expect((await seller.get(minePath, { per_page })).body.per_page, per_page).to.equal(used);
    }
  });

  it('422 if a parameter is given twice', async () => {
    const seller = await service.account();
    const answer = await seller.send(`${minePath}?page=1&page=2&per_page=1&per_page=2`);
    expect(answer.status).to.equal(422);
    expect(answer.body.error.fields).to.have.all.keys('page', 'per_page');
  });

  itLong('returns each item exactly once over all pages, for any page size, with the correct last_page', async () => {
    const sizes = fc.record({ count: fc.integer({ min: 0, max: 30 }), perPage: fc.integer({ min: 1, max: 100 }) });
    const smaller = fc.record({ count: fc.integer({ min: 0, max: 30 }), perPage: fc.integer({ min: 1, max: 8 }) });
    await fc.assert(
      fc.asyncProperty(fc.oneof(sizes, smaller), async ({ count, perPage }) => {
        const seller = await sellerOf(count);
        const seen: number[] = [];
        let last = 1;
        for (let page = 1; page <= last; page++) {
          const { body } = await seller.get(minePath, { page: String(page), per_page: String(perPage) });
          expect(body).to.include({ current_page: page, per_page: perPage, total: count });
          expect(body.last_page).to.equal(Math.max(1, Math.ceil(count / perPage)));
          expect(body.data.length).to.equal(Math.min(perPage, count - seen.length));
          seen.push(...body.data.map(({ id }: { id: number }) => id));
          last = body.last_page;
        }
        expect(new Set(seen).size).to.equal(count);
        expect(seen).to.deep.equal(seen.toSorted((one, other) => other - one));
        const past = await seller.get(minePath, { page: String(last + 1), per_page: String(perPage) });
        expect(past.body.data).to.deep.equal([]);
      }),
      { numRuns: runs(12) },
    );
  });

  itLong('returns the current status; if published, the public address', async () => {
    const seller = await service.account();
    const { product } = (await seller.submit(publishPath, listingForm({ title: 'Watched' }))).body;
    const item = async () => (await seller.get(minePath)).body.data[0];
    service.clock.advance(1000);
    await service.products.change(String(product.id), 'approve', operator);
    expect(await item()).to.include({
      status: 'published',
      marketplace_url: `${service.url}/marketplace/watched`,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:01.000Z',
    });
    await service.products.change('watched', 'unlist', operator);
    expect((await item()).status).to.equal('unlisted');
    expect((await item()).marketplace_url).to.include('?preview=');
  });
});

describe('POST /api/marketplace/upload', () => {
  let service: AccountService;
  let account: Account;
  before(async () => {
    service = await startAccountService();
    account = await service.account('free');
  });
  after(() => service.close());

  itLong('200 with the size, a new file name, and an address that returns the same bytes', async () => {
    for (const [kind, type, bytes] of [
      ['zip', 'application/zip', await zipOf()],
      ['png', 'image/png', pngOf(640, 480)],
      ['jpg', 'image/jpeg', jpgOf()],
    ] as const) {
      const form = formOf({ file: { bytes, filename: '../../My File.exe' } });
      const answer = await account.submit(uploadPath, form);
      expect(answer.status, kind).to.equal(200);
      const { url, filename } = answer.body;
      expect(answer.body).to.deep.equal({ success: true, url, filename, size: bytes.length, livemode: true });
      expect(filename).to.match(new RegExp(`^[0-9a-f]{32}\\.${kind}$`));
      expect(url).to.equal(`${service.url}/media/${filename}`);
      const stored = await fetch(url);
      expect(stored.status).to.equal(200);
      expect(stored.headers.get('content-type')).to.equal(type);
      expect(stored.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(Buffer.from(await stored.arrayBuffer()).equals(bytes)).to.equal(true);
    }
  });

  it('200 for any name of the file field, with other text fields', async () => {
    for (const name of ['file', 'image', 'product_zip', 'a[b]', '__proto__', 'constructor', 'ü']) {
      const answer = await account.submit(uploadPath, formOf({ folder: 'x', [name]: pngOf() }));
      expect(answer.status, name).to.equal(200);
    }
  });

  it('200 with a new address for each upload of the same file', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => account.submit(uploadPath, formOf({ file: pngOf() }))),
    );
    expect(new Set(answers.map(({ body }) => body.url)).size).to.equal(5);
  });

  it('422 if the form has no file, or more than one', async () => {
    for (const form of [
      formOf({ other: 'x' }),
      formOf({ file: 'a text' }),
      formOf({ file: { bytes: pngOf(), filename: '' } }),
    ]) {
      const answer = await account.submit(uploadPath, form);
      expect(answer.status).to.equal(422);
      expect(answer.body.error.code).to.equal('VALIDATION_ERROR');
      expect(answer.body.error.fields).to.deep.equal({ file: ['It is required.'] });
    }
    const two = await account.submit(uploadPath, formOf({ one: pngOf(), two: pngOf() }));
    expect(two.status).to.equal(422);
    expect(two.body.error.message).to.equal('There are too many files.');
  });

  itLong('422 with the detected type if the file is neither a zip nor an image', async () => {
    const pdf = await account.submit(uploadPath, formOf({ file: Buffer.from('%PDF-1.7\n') }));
    expect(pdf.status).to.equal(422);
    expect(pdf.body.error.fields).to.deep.equal({
      file: ['It is application/pdf, neither a zip nor a PNG or JPG image.'],
    });
  });

  it('415 if the body is not multipart/form-data', async () => {
    const answer = await account.post(uploadPath, { file: 'x' });
    expect(answer.status).to.equal(415);
    const bare = { 'Content-Type': 'image/png' };
    const image = new Blob([new Uint8Array(pngOf())]);
    expect((await account.send(uploadPath, { method: 'POST', headers: bare, body: image })).status).to.equal(415);
  });
});
