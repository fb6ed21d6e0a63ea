import { request as open } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type DashboardService, startDashboardService } from '../dashboard/dashboard-service.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

describe('compression', () => {
  let service: DashboardService;
  let product: string;
  before(async () => {
    service = await startDashboardService();
    const { id, slug } = good(await service.products.add({ title: 'Swap', ownerId: null }, operator));
    good(await service.products.change(String(id), 'approve', operator));
    product = `/marketplace/${slug}`;
  });
  after(() => service.close());

  /** Sends a request as it is. `fetch` would decompress the answer. */
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Answer>((resolve, reject) => {
      const sent = open(
        service.url + path,
        { method, headers: { Accept: 'text/html', ...headers } },
        async (answer) => {
          const pieces: Buffer[] = [];
          for await (const piece of answer) pieces.push(piece);
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) });
        },
      );
      sent.once('error', reject).end();
    });
  const style = async () => `/${/assets\/style-[0-9a-f]{12}\.css/.exec((await ask('/')).body.toString())?.[0] ?? ''}`;
  const varies = ({ headers }: Answer) => String(headers.vary).split(/, */);

  itLong('is used for what is the same for everybody, and has the same content in each encoding', async () => {
    const paths = [
      '/',
      '/marketplace',
      product,
      '/docs',
      '/docs/reference',
      '/docs/selling',
      '/openapi.json',
      await style(),
    ];
    for (const path of paths) {
      const plain = await ask(path);
      expect(plain.headers['content-encoding'], path).to.equal(undefined);
      expect(varies(plain), path).to.include('Accept-Encoding');
      for (const [encoding, decompress] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const answer = await ask(path, { 'Accept-Encoding': encoding });
        expect([answer.status, answer.headers['content-encoding']], path).to.deep.equal([200, encoding]);
        expect(varies(answer), path).to.include('Accept-Encoding');
        expect(answer.headers['content-type']).to.equal(plain.headers['content-type']);
        expect(Number(answer.headers['content-length']))
          .to.equal(answer.body.length)
          .and.to.be.below(plain.body.length);
        expect(decompress(answer.body).equals(plain.body), `${path} in ${encoding}`).to.equal(true);
      }
      const best = await ask(path, { 'Accept-Encoding': 'gzip, deflate, br, zstd' });
      expect(best.headers['content-encoding'], path).to.equal('br');
      const none = await ask(path, { 'Accept-Encoding': 'br;q=0, gzip;q=0' });
      expect(none.headers['content-encoding'], path).to.equal(undefined);
    }
  });

  itLong('has a tag for each encoding; a known one gets 304; HEAD has the headers of GET', async () => {
    for (const path of ['/', product, '/docs/selling', '/openapi.json']) {
      const tags = new Set<string>();
      for (const encoding of ['identity', 'gzip', 'br']) {
        const asked = { 'Accept-Encoding': encoding };
        const { headers } = await ask(path, asked);
        const tag = String(headers.etag);
        tags.add(tag);
        const known = await ask(path, { ...asked, 'If-None-Match': tag });
        expect([known.status, known.body.length, known.headers['content-encoding']]).to.deep.equal([304, 0, undefined]);
        expect([known.headers.etag, known.headers.vary]).to.deep.equal([headers.etag, headers.vary]);
        const head = await ask(path, asked, 'HEAD');
        const names = ['etag', 'vary', 'content-encoding', 'content-length', 'content-type'];
        expect(names.map((name) => head.headers[name])).to.deep.equal(names.map((name) => headers[name]));
        const part = await ask(path, { ...asked, Range: 'bytes=0-9' });
        expect([part.status, part.headers.etag]).to.deep.equal([200, headers.etag]);
      }
      expect(tags.size, path).to.equal(3);
    }
  });

  it('is never used for people who are signed in, for pages behind the sign-in, previews, and the license API', async () => {
    const ada = await service.signedInUser();
    const Cookie = [...ada.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const asked = { 'Accept-Encoding': 'br, gzip' };
    for (const path of ['/', '/marketplace', product, '/docs/selling', '/account', '/selling/live/products/new']) {
      const answer = await ask(path, { ...asked, Cookie });
      expect([answer.status, answer.headers['content-encoding']], path).to.deep.equal([200, undefined]);
    }
    for (const path of ['/sign-in', '/verify?key=LIC-1&domain=a.com', '/nothing', '/api/marketplace']) {
      expect((await ask(path, asked)).headers['content-encoding'], path).to.equal(undefined);
    }
    const waiting = good(await service.products.add({ title: 'Waits', ownerId: null }, operator));
    const preview = (await ada.browser.get(product)).status;
    expect([preview, (await ask(`/marketplace/${waiting.slug}`, asked)).status]).to.deep.equal([200, 404]);
    const addresses = await service.parts.get(t.addresses);
    const secret = new URL(addresses.product(waiting));
    const answer = await ask(secret.pathname + secret.search, asked);
    expect([answer.status, answer.headers['content-encoding']]).to.deep.equal([200, undefined]);
  });
});
