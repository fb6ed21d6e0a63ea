import { expect } from 'chai';
import fc from 'fast-check';
import sharp from 'sharp';
import { readableTime } from '../../../../adapters/http/ui/time.tsx';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { formOf, listingForm, type Part } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import { readHtml } from '../../../support/html.ts';
import { raw } from '../../../support/raw-http.ts';
import { itLong } from '../../../support/required-service.ts';
import { runs } from '../../../support/runs.ts';
import { jpgOf, pngOf } from '../../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';

const publishPath = '/api/marketplace/publish';
const day = 86_400_000;
const hostile = `<script>alert(1)</script>"'\`&<img src=x onerror=alert(1)>`;

describe('the page of a product', () => {
  let service: AccountService;
  let seller: Account;
  before(async () => {
    service = await startAccountService();
    seller = await service.account();
  });
  after(() => service.close());

  async function publish(parts: Readonly<Record<string, Part>> = {}, account = seller) {
    const { status, body } = await account.submit(publishPath, listingForm(parts));
    expect(status).to.equal(200);
    const { product, marketplace_url } = body;
    const preview: string = marketplace_url.slice(service.url.length);
    return { ...product, preview, page: `/marketplace/${product.slug}` } as {
      id: number;
      slug: string;
      preview: string;
      page: string;
    };
  }
  const change = (id: number, ...steps: ('approve' | 'reject' | 'unlist' | 'resubmit')[]) =>
    steps.reduce(async (before, step) => {
      await before;
      await service.products.change(String(id), step, operator);
    }, Promise.resolve());

  itLong('200 once it is published, with the details that a buyer needs', async () => {
    const { id, page } = await publish({
      title: 'Swap & Go',
      tagline: 'Swap anything',
      description: 'A decentralised exchange.\nReady to deploy.',
      price: '49.9',
      module: 'dex',
      variant: 'v2',
      category: 'defi',
      tags: '["amm","swap"]',
      blockchains: '["Ethereum","Base"]',
      is_supported: 'true',
    });
    await change(id, 'approve');
    const answer = await service.send(page);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(answer.text).to.include('<title>Swap &amp; Go · Latchkey</title>');
    for (const text of [
      'Swap anything',
      'Ready to deploy.',
      '$49.90',
      'DEX / V2',
      'defi',
      '?q=amm">',
      '?category=defi">DeFi</a>',
      '>Ethereum</li>',
      '>Base</li>',
    ]) {
      expect(answer.text).to.include(text);
    }
    expect(answer.text).to.include('provides support');
    expect(answer.text).to.not.include('preview');
    const head = await service.send(page, { method: 'HEAD' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
  });

  it('shows the description as Markdown, with hostile parts as text', async () => {
    const { id, page } = await publish({
      description: `## Ready\n\n**Deploy** it.\n\n${hostile} [x](javascript:alert(1))`,
    });
    await change(id, 'approve');
    const { text } = await service.send(page);
    expect(text).to.include('<h2 dir="auto">Ready</h2>');
    expect(text).to.include('<p dir="auto"><strong>Deploy</strong> it.</p>');
    expect(text).to.not.include('<script>alert');
    expect(text).to.not.include('<img src=x');
    expect(text).to.not.include('href="javascript:');
  });

  it('shows the terms of a license', async () => {
    const { id, page } = await publish({ title: 'Terms' });
    await change(id, 'approve');
    const { text } = readHtml((await service.send(page)).text);
    expect(text).to.match(/Works on 1 domain ?Valid for ever/);
    expect(text).to.not.match(/\bby\b/);
  });

  it('tells other sites and search engines what a public product is, and nothing of a preview', async () => {
    const { id, page, preview } = await publish({
      title: `Swap "&" </script>\u2028x`,
      tagline: 'Swap & swap',
      description: '# Swap\n\n**Anything** for anything.',
      price: '49.9',
    });
    const hidden = readHtml((await service.send(preview)).text);
    const metasOf = ({ elements }: typeof hidden) =>
      elements('meta').map(({ attributes: { name, property, content } }) => [name ?? property, content]);
    expect(metasOf(hidden)).to.deep.include(['robots', 'noindex']);
    expect(JSON.stringify(metasOf(hidden))).to.not.include('og:');
    expect(hidden.elements('script').map(({ attributes }) => attributes.type)).to.deep.equal(['module']);
    await change(id, 'approve');
    const { text } = await service.send(page);
    const shown = readHtml(text);
    const address = service.url + page;
    const metas = Object.fromEntries(metasOf(shown));
    expect(metas).to.include({
      description: 'Swap & swap',
      'og:type': 'product',
      'og:site_name': 'Latchkey',
      'og:title': `Swap "&" </script>\u2028x`,
      'og:description': 'Swap & swap',
      'og:url': address,
      'twitter:card': 'summary_large_image',
    });
    expect(metas['og:image']).to.match(/^http.*\/share\/products\/[\w-]+\.jpg\?v=\w+$/);
    expect(shown.elements('link').map(({ attributes: { rel, href } }) => [rel, href])).to.deep.include([
      'canonical',
      address,
    ]);
    const [data = '', way = ''] = [...text.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(
      ([, found]) => found,
    );
    for (const one of [data, way]) expect(one).to.not.match(/[<>&\u2028\u2029]/);
    expect(JSON.parse(way).itemListElement.map(({ item }: { item: string }) => item)).to.deep.equal([
      `${service.url}/marketplace`,
      address,
    ]);
    expect(JSON.parse(data).image).to.have.lengthOf(1);
    expect(JSON.parse(data).image[0]).to.match(/^http.*\/media\/[\w-]+\.png$/);
    expect(JSON.parse(data)).to.deep.equal({
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: `Swap "&" </script>\u2028x`,
      description: 'Swap & swap',
      image: JSON.parse(data).image,
      url: address,
      offers: {
        '@type': 'Offer',
        price: '49.90',
        priceCurrency: 'USD',
        availability: 'https://schema.org/OutOfStock',
        url: address,
      },
    });
  });

  it('says Free if the price is 0', async () => {
    const { id, page } = await publish({ price: '0.00' });
    await change(id, 'approve');
    expect((await service.send(page)).text).to.include('>Free<');
  });

  for (const [status, steps] of [
    ['pending', []],
    ['rejected', ['reject']],
    ['unlisted', ['approve', 'unlist']],
    ['pending again', ['reject', 'resubmit']],
  ] as const) {
    it(`404 while it is ${status}, with the same text as for an unknown product, unless the address has its preview`, async () => {
      const { id, page, preview } = await publish();
      await change(id, ...steps);
      const [hidden, never, owner] = [
        await service.send(page),
        await service.send('/marketplace/never'),
        await seller.send(page),
      ];
      expect([hidden.status, never.status, owner.status]).to.deep.equal([404, 404, 404]);
      expect(hidden.text).to.equal(never.text);
      const shown = await service.send(preview);
      expect(shown.status).to.equal(200);
      expect(shown.text).to.include(`This is a preview. The product is ${status.split(' ')[0]} and not public.`);
    });
  }

  it('opens only with its own preview while it is not public, not with a forged one or that of another product', async () => {
    const one = await publish({ title: 'One' });
    const other = await publish({ title: 'Other' });
    const signature = new URLSearchParams(other.preview.split('?')[1]).get('preview') ?? '';
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    for (const forged of [
      '',
      'x',
      signature,
      flipped,
      signature.slice(1),
      `${signature}${signature}`,
      signature.replace(/^\d+/, (end) => String(Number(end) + 1)),
      signature.replace(/^\d+/, '99999999999'),
      signature.replace(/^\d+\./, ''),
      String(one.id),
      'true',
    ]) {
      expect((await service.send(`${one.page}?preview=${forged}`)).status, forged).to.equal(404);
    }
    const doubled = `${one.preview}&preview=x`;
    expect((await service.send(doubled)).status).to.equal(404);
    expect((await service.send(one.preview)).status).to.equal(200);
  });

  it('does not accept the signature of a file as a preview, and files do not accept that of a preview', async () => {
    const { id, page } = await publish();
    const signer = await service.parts.get(t.signer);
    const end = '99999999999';
    for (const text of [`file\n${id}`, `file\n${id}\n${end}`, `preview:${id}`, `preview\n${id}`]) {
      expect((await service.send(`${page}?preview=${end}.${signer.sign(text)}`)).status, text).to.equal(404);
    }
    expect((await service.send(`${page}?preview=${signer.sign(`preview:${id}`)}`)).status).to.equal(404);
    const forged = new URLSearchParams({
      filename: 'x.zip',
      expires: end,
      signature: signer.sign(`preview\n${id}\n${end}`),
    });
    expect((await service.send(`/files/products/x.zip?${forged}`)).status).to.equal(404);
  });

  itLong('has previews that expire after seven days; each answer of my-products has a new one', async () => {
    const { page, preview } = await publish({ title: 'Seven days' });
    service.clock.advance(7 * day - 1_000);
    expect((await service.send(preview)).status).to.equal(200);
    const [{ marketplace_url }] = (await seller.get('/api/marketplace/my-products')).body.data;
    service.clock.advance(1_000);
    const ended = await service.send(preview);
    expect(ended.status).to.equal(403);
    expect(ended.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(ended.text).to.include('This preview has ended');
    expect(ended.text).to.not.include('Seven days');
    expect((await service.send(page)).status).to.equal(404);
    const renewed = marketplace_url.slice(service.url.length);
    expect(renewed).to.not.equal(preview);
    expect((await service.send(renewed)).status).to.equal(200);
    service.clock.advance(7 * day);
    expect((await service.send(renewed)).status).to.equal(403);
  });

  it('ignores an expired or forged preview once it is public', async () => {
    const { id, page, preview } = await publish();
    await change(id, 'approve');
    service.clock.advance(8 * day);
    for (const address of [preview, `${page}?preview=1.x`]) {
      const answer = await service.send(address);
      expect([answer.status, answer.text.includes('preview')], address).to.deep.equal([200, false]);
    }
  });

  it('never shows a product of a test key without its preview, even if it is approved', async () => {
    const { user } = await service.account();
    const test = await service.keyOf(user, { mode: 'test' });
    const { id, page, preview } = await publish({ title: 'Only a test' }, test);
    await change(id, 'approve');
    expect((await service.send(page)).status).to.equal(404);
    expect((await service.send(preview)).status).to.equal(200);
    expect(preview).to.include('?preview=');
  });

  itLong('escapes every text of the seller', async () => {
    const { id, page } = await publish({
      title: hostile,
      tagline: hostile.slice(0, 60),
      description: hostile,
      module: hostile.slice(0, 50),
      variant: hostile.slice(0, 50),
      category: hostile.slice(0, 50),
      subcategory: '</dd></dl><script>',
      tags: JSON.stringify(['"><script>', "'>"]),
      blockchains: JSON.stringify(['<!--', '&lt;']),
    });
    await change(id, 'approve');
    const { text } = await service.send(page);
    expect(text).to.include("&lt;script>alert(1)&lt;/script>&quot;'`&amp;&lt;img src=x onerror=alert(1)>");
    expect(text).to.include('&amp;lt;');
    expect(text).to.not.match(
      /<script(?! type="module" src="\.\.\/assets\/| type="application\/ld\+json">\{)|<img src=x|<!--|<\/dd><\/dl><script/i,
    );
    const tags = new Set([...text.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name));
    const frame = [
      'html',
      'head',
      'meta',
      'title',
      'link',
      'script',
      'body',
      'a',
      'header',
      'svg',
      'rect',
      'path',
      'circle',
      'button',
      'nav',
      'main',
      'aside',
      'footer',
    ];
    const own = [
      'section',
      'ol',
      'ul',
      'li',
      'span',
      'div',
      'img',
      'picture',
      'source',
      'h1',
      'h2',
      'h3',
      'p',
      'strong',
      'dl',
      'dt',
      'dd',
      'time',
    ];
    expect([...tags]).to.have.members([...frame, ...own]);
  });

  itLong('has the same elements whatever the texts are', async () => {
    const elements = (text: string) =>
      [...text.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/(?:src|srcset|href)="[^"]*"/g, ''));
    const plain = await publish({ variant: 'x', category: 'x', tags: '["x"]', blockchains: '["x"]' });
    const expected = elements((await service.send(plain.preview)).text);
    const part = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '`',
      '</p>',
      '<script>',
      '-->',
      ']]>',
      '\\',
      '{{',
      'x',
      'é',
      '&#0;',
    );
    const nasty = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => `x${parts.join('')}`);
    await fc.assert(
      fc.asyncProperty(nasty, nasty, async (one, other) => {
        const words = JSON.stringify([one]);
        const { preview } = await publish({
          title: one,
          tagline: other,
          // `seller-markdown.test.ts` tests the description, whose elements are up to the seller.
          module: other,
          variant: one,
          category: other,
          tags: words,
          blockchains: words,
        });
        expect(elements((await service.send(preview)).text)).to.deep.equal(expected);
      }),
      { numRuns: runs(25) },
    );
  });

  it('runs only the script of the frame and loads only its own images, also if the product is not found', async () => {
    const { preview } = await publish();
    for (const path of [preview, '/marketplace/never', '/marketplace/%00', '/marketplace/%zz']) {
      const { headers, text } = await service.send(path);
      expect(headers.get('content-security-policy')?.split('; '), path).to.have.members([
        "default-src 'none'",
        "font-src 'self'",
        "connect-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(headers.get('x-content-type-options'), path).to.equal('nosniff');
      expect(headers.get('cache-control'), path).to.equal(path === preview ? 'no-cache' : 'no-store');
      expect(text, path).to.not.match(/<script(?! type="module" src="[./]+assets\/)| on\w+=|style=|https?:\/\//i);
    }
  });

  it('shows when it was updated, in UTC, with the exact time as its title', async () => {
    const { preview } = await publish();
    const now = new Date(service.clock.now()).toISOString();
    expect((await service.send(preview)).text).to.include(
      `<time datetime="${now}" title="${now}">${readableTime(Date.parse(now))}</time>`,
    );
  });

  itLong('shows the thumbnail that was uploaded with it', async () => {
    for (const [type, bytes] of [
      ['image/png', pngOf(3, 2)],
      ['image/jpeg', jpgOf()],
    ] as const) {
      const { preview } = await publish({ thumbnail: bytes });
      const { text } = await service.send(preview);
      const [shown, stored = ''] = /(\/media\/[0-9a-f]{32}\.(?:png|jpg))\?width=640&amp;type=webp/.exec(text) ?? [];
      for (const [path, expected] of [
        [stored, type],
        [shown?.replace('&amp;', '&'), 'image/webp'],
        [`${stored}?width=320&type=avif`, 'image/avif'],
        [`${stored}?width=321&type=avif`, type],
      ]) {
        const response = await fetch(service.url + path);
        expect(response.status, path).to.equal(200);
        expect(response.headers.get('content-type'), path).to.equal(expected);
        expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
        expect(response.headers.get('content-security-policy')).to.include("default-src 'none'");
        expect(response.headers.get('cache-control'), path).to.equal('public, max-age=31536000, immutable');
        const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
        expect({ width, height }, path).to.deep.equal(await sizeOf(bytes));
      }
    }
  });

  it('has no image if the product has no thumbnail', async () => {
    const product = good(await service.products.add({ title: 'Bare', ownerId: null }, operator));
    await change(product.id, 'approve');
    const { status, text } = await service.send('/marketplace/bare');
    expect(status).to.equal(200);
    expect(text.split('id="related"')[0]).to.not.include('<img');
  });

  it('405 for every verb but GET and HEAD', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await service.send('/marketplace/never', { method });
      expect(answer.status, method).to.equal(405);
      expect(answer.headers.get('allow'), method).to.equal('GET, HEAD');
    }
  });
});

describe('GET /media', () => {
  let service: AccountService;
  let path: string;
  before(async () => {
    service = await startAccountService();
    const account = await service.account();
    const { url } = (await account.submit('/api/marketplace/upload', formOf({ file: pngOf() }))).body;
    await account.submit(publishPath, listingForm());
    await service.template();
    path = url.slice(service.url.length);
  });
  after(() => service.close());

  it('200 for the file, 206 for a range, and 304 if the client has the file already', async () => {
    const whole = await fetch(service.url + path);
    const etag = whole.headers.get('etag') ?? '';
    const size = (await whole.arrayBuffer()).byteLength;
    const part = await fetch(service.url + path, { headers: { Range: 'bytes=0-3' } });
    expect([part.status, part.headers.get('content-range')]).to.deep.equal([206, `bytes 0-3/${size}`]);
    expect(await part.text()).to.include('PNG');
    const again = await raw(service.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${etag}\r\n\r\n`);
    expect(again).to.match(/^HTTP\/1\.1 304 [\s\S]*\r\n\r\n$/);
  });

  it('412 if a precondition of the request fails, and 200 if it holds', async () => {
    const { headers } = await fetch(service.url + path);
    const [etag = '', changed = ''] = [headers.get('etag') ?? '', headers.get('last-modified') ?? ''];
    const long = 'Mon, 01 Jan 2001 00:00:00 GMT';
    for (const unmet of [{ 'If-Match': '"other"' }, { 'If-Unmodified-Since': long }]) {
      const answer = await service.send(path, { headers: unmet });
      expect(answer.status).to.equal(412);
      expect(answer.headers.get('content-type')).to.match(/^application\/json/);
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      for (const name of ['etag', 'last-modified']) expect(answer.headers.get(name), name).to.equal(null);
      expect(answer.body).to.have.nested.property('error.code', 'PRECONDITION_FAILED');
      const head = await service.send(path, { method: 'HEAD', headers: unmet });
      expect([head.status, head.text]).to.deep.equal([412, '']);
    }
    for (const met of [{ 'If-Match': etag }, { 'If-Match': '*' }, { 'If-Unmodified-Since': changed }]) {
      expect((await service.send(path, { headers: met })).status).to.equal(200);
    }
    const odd = [
      { headers: { 'If-Match': '"' }, status: 412 },
      { headers: { 'If-Unmodified-Since': 'yesterday' }, status: 200 },
      { headers: { 'If-Range': '"', Range: 'bytes=0-1' }, status: 200 },
    ];
    for (const { headers, status } of odd) {
      expect((await service.send(path, { headers })).status, JSON.stringify(headers)).to.equal(status);
    }
  });

  it('404 for every name that is not a public file, and for every path out of the folder', async () => {
    const files = await service.files();
    const zip = files.find((file) => file.startsWith('products/'));
    const template = files.find((file) => file.startsWith('templates/'));
    expect([zip, template]).to.not.include(undefined);
    const name = path.slice('/media/'.length);
    const paths = [
      '/media',
      '/media/',
      '/media/unknown.png',
      `/media/${'0'.repeat(32)}.png`,
      `${path}%00`,
      `${path}%00.jpg`,
      `${path}.`,
      `${path}%20`,
      `${path}~`,
      path.toUpperCase(),
      `/media/${name.replace('.png', '.jpg')}`,
      `/media/..%2f${zip}`,
      `/media/..%2f${template}`,
      `/media/../${zip}`,
      `/media/%2e%2e/${zip}`,
      `/media/%2e%2e%2f${zip}`,
      `/media/..%5c${zip}`,
      `/media/..%252f${zip}`,
      `/media/..;/${zip}`,
      `/media//${zip}`,
      `/media/${zip}`,
      `//media/../${zip}`,
      '/media/..%2f..%2f..%2f..%2fetc%2fpasswd',
      '/media/%2fetc%2fpasswd',
      '/media//etc/passwd',
      '/media/%00',
      '/media/%zz',
      '/media/%c0%ae%c0%ae%2f',
      '/media/tmp',
      '/media/.',
      '/media/..',
      '/media/*',
      `/media/${'a'.repeat(300)}.png`,
      `/media/${'a'.repeat(5_000)}.png`,
      `/media/a.${'b'.repeat(300)}`,
      '/media/.png',
      '/media/a.',
      '/media/a%0a.png',
      '/media/%ff.png',
      '/media/%c3%bc.png',
      `/${zip}`,
      `/${template}`,
      `/files/${zip}`,
      `/files/${template}`,
      `/files/media/${name}`,
      '/files/..%2f..%2fetc/passwd',
    ];
    for (const one of paths) {
      const answer = await raw(service.url, `GET ${one} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(answer, one).to.match(/^HTTP\/1\.1 404 /);
      expect(answer, one).to.not.match(/PNG|PK|root:/);
    }
    expect((await fetch(service.url + path)).status).to.equal(200);
  });
});

async function sizeOf(image: Buffer) {
  const { width, height } = await sharp(image).metadata();
  return { width, height };
}
