import { createServer } from 'node:http';
import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { tierNames } from '../../../../core/accounts/tier.ts';
import { categories, type Template } from '../../../../core/templates/template.ts';
import { operator } from '../../../support/by.ts';
import { readHtml } from '../../../support/html.ts';
import { answer as answerPurchase, startService as startPurchaseService } from '../../../support/purchase-checks.ts';
import { itLong } from '../../../support/required-service.ts';
import { zipOf } from '../../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const slugs = ({ body }: { body: { templates: Template[] } }) => body.templates.map(({ slug }) => slug);

describe('templates', () => {
  let service: AccountService;
  let free: Account;
  let pro: Account;
  let enterprise: Account;
  before(async () => {
    service = await startAccountService();
    [free, pro, enterprise] = [
      await service.account('free'),
      await service.account('pro'),
      await service.account('enterprise'),
    ];
    await service.template({ slug: 'simple-dex', category: 'defi-dex', tier: 'free', tags: ['dex', 'swap'] });
    await service.template({ slug: 'pro-dex', category: 'defi-dex', tier: 'pro' });
    await service.template({ slug: 'simple-nft', category: 'nfts-games', tier: 'free' });
    await service.template({ slug: 'big-launch', category: 'launch-token-sales', tier: 'enterprise' });
    await service.template({
      slug: 'with-parameters',
      category: 'token-tools',
      tier: 'free',
      parameters: [
        {
          name: 'chain',
          type: 'select',
          label: 'Chain',
          description: 'Where to deploy.',
          required: true,
          default: 'sepolia',
          options: ['sepolia', 'base'],
        },
        { name: 'supply', type: 'number', label: 'Supply', description: '', required: false, default: null },
      ],
    });
  });
  after(() => service.close());

  describe('GET /api/templates', () => {
    it('200 with the templates that the tier may see, newest first', async () => {
      expect(slugs(await free.get('/api/templates'))).to.deep.equal(['with-parameters', 'simple-nft', 'simple-dex']);
      expect(slugs(await pro.get('/api/templates'))).to.deep.equal([
        'with-parameters',
        'simple-nft',
        'pro-dex',
        'simple-dex',
      ]);
      expect(slugs(await enterprise.get('/api/templates'))).to.deep.equal([
        'with-parameters',
        'big-launch',
        'simple-nft',
        'pro-dex',
        'simple-dex',
      ]);
    });

    it('200 with exactly the fields of a list item', async () => {
      const { body } = await free.get('/api/templates', { category: 'defi-dex' });
      expect(body).to.deep.equal({
        templates: [
          {
            id: 1,
            slug: 'simple-dex',
            title: 'Template 1',
            description: 'A template.',
            category: 'defi-dex',
            tier: 'free',
            tags: ['dex', 'swap'],
          },
        ],
      });
    });

    it('200 with the templates of a given category that the tier may see', async () => {
      expect(slugs(await free.get('/api/templates', { category: 'defi-dex' }))).to.deep.equal(['simple-dex']);
      expect(slugs(await pro.get('/api/templates', { category: 'defi-dex' }))).to.deep.equal(['pro-dex', 'simple-dex']);
      expect(slugs(await pro.get('/api/templates', { category: 'launch-token-sales' }))).to.deep.equal([]);
    });

    it('200 with an empty list for a category without templates', async () => {
      for (const category of ['templates-clones', 'nothing', 'DEFI-DEX', "' OR 1=1 --", '*']) {
        const answer = await enterprise.get('/api/templates', { category });
        expect(answer.status, category).to.equal(200);
        expect(answer.body, category).to.deep.equal({ templates: [] });
      }
    });

    it('200 with all templates of the tier if the category is an empty text', async () => {
      expect(slugs(await free.get('/api/templates', { category: '' }))).to.have.length(3);
    });

    it('422 for two categories', async () => {
      const answer = await free.send('/api/templates?category=defi-dex&category=nfts-games');
      expect(answer.status).to.equal(422);
      expect(answer.body.error.code).to.equal('VALIDATION_ERROR');
      expect(answer.body.error.fields).to.have.all.keys('category');
    });

    it('returns the same to a test key', async () => {
      const test = await service.keyOf(pro.user, { mode: 'test' });
      expect((await test.get('/api/templates')).text).to.equal((await pro.get('/api/templates')).text);
    });
  });

  describe('GET /api/templates/categories', () => {
    it('200 with every category, on every tier', async () => {
      for (const account of [free, pro, enterprise]) {
        const answer = await account.get('/api/templates/categories');
        expect(answer.status).to.equal(200);
        expect(answer.body).to.deep.equal({ categories: [...categories] });
      }
    });
  });

  describe('GET /api/templates/:id', () => {
    it('200 with every field, by id and by slug', async () => {
      const expected = {
        template: {
          id: 5,
          slug: 'with-parameters',
          title: 'Template 5',
          description: 'A template.',
          category: 'token-tools',
          tier: 'free',
          tags: [],
          parameters: [
            {
              name: 'chain',
              type: 'select',
              label: 'Chain',
              description: 'Where to deploy.',
              required: true,
              default: 'sepolia',
              options: ['sepolia', 'base'],
            },
            { name: 'supply', type: 'number', label: 'Supply', description: '', required: false, default: null },
          ],
          created_at: '2026-01-01T00:00:00.000Z',
          download_count: 0,
        },
      };
      for (const id of ['5', 'with-parameters', '005']) {
        const answer = await free.get(`/api/templates/${id}`);
        expect(answer.status, id).to.equal(200);
        expect(answer.body, id).to.deep.equal(expected);
      }
    });

    it('404 with the same bytes for an unknown template and for one above the tier', async () => {
      const texts = new Set<string>();
      for (const id of [
        'never',
        '99',
        '9'.repeat(40),
        'pro-dex',
        '2',
        'big-launch',
        'PRO-DEX',
        '%2e%2e%2f',
        '-1',
        '1.0',
      ]) {
        const answer = await free.send(`/api/templates/${id}`);
        expect(answer.status, id).to.equal(404);
        expect(answer.body.error.code, id).to.equal('NOT_FOUND');
        texts.add(answer.text);
      }
      expect(texts.size).to.equal(1);
    });

    it('200 on the tier of the template and above', async () => {
      for (const [tier, account] of [
        ['free', free],
        ['pro', pro],
        ['enterprise', enterprise],
      ] as const) {
        for (const [slug, needed] of [
          ['simple-dex', 'free'],
          ['pro-dex', 'pro'],
          ['big-launch', 'enterprise'],
        ] as const) {
          const shown = tierNames.indexOf(tier) >= tierNames.indexOf(needed);
          expect((await account.get(`/api/templates/${slug}`)).status, `${tier} ${slug}`).to.equal(shown ? 200 : 404);
        }
      }
    });

    it('422 for an id of more than 200 characters', async () => {
      const answer = await free.get(`/api/templates/${'x'.repeat(201)}`);
      expect(answer.status).to.equal(422);
      expect(answer.body.error.fields).to.have.all.keys('id');
    });
  });

  describe('GET /api/templates/:id/download', () => {
    it('200 with a link and a file name for a free template, on every tier and by id and slug', async () => {
      for (const account of [free, pro, enterprise]) {
        for (const id of ['simple-nft', '3']) {
          const answer = await account.get(`/api/templates/${id}/download`);
          expect(answer.status).to.equal(200);
          expect(answer.body).to.have.all.keys('url', 'filename');
          expect(answer.body.filename).to.equal('simple-nft.zip');
          expect(answer.body.url.startsWith(`${service.url}/files/`)).to.equal(true);
          expect(answer.headers.get('cache-control')).to.equal('no-store');
        }
      }
    });

    it('403 NOT_PURCHASED for a template that is not free and was not bought, on every tier', async () => {
      for (const account of [free, pro, enterprise]) {
        for (const slug of ['pro-dex', 'big-launch']) {
          const answer = await account.get(`/api/templates/${slug}/download`);
          expect(answer.status, slug).to.equal(403);
          expect(answer.body.error).to.have.all.keys('code', 'message');
          expect(answer.body.error.code, slug).to.equal('NOT_PURCHASED');
        }
      }
    });

    it('200 for a bought template, whatever its tier is, but only for the buyer', async () => {
      const buyer = await service.account('free');
      const template = await service.template({ tier: 'enterprise', slug: 'bought' });
      await service.templates.addPurchase(buyer.user, template, operator);
      const granted = await buyer.get('/api/templates/bought/download');
      expect(granted.status).to.equal(200);
      expect((await fetch(granted.body.url)).status).to.equal(200);
      expect((await buyer.get('/api/templates/bought')).status).to.equal(404);
      expect((await enterprise.get('/api/templates/bought/download')).status).to.equal(403);
    });

    it('404 for an unknown template', async () => {
      for (const id of ['never', '99']) {
        const answer = await pro.get(`/api/templates/${id}/download`);
        expect(answer.status).to.equal(404);
        expect(answer.body.error.code).to.equal('NOT_FOUND');
      }
    });

    it('counts each link that it returns, concurrent ones included, but not refusals or uses of a link', async () => {
      await service.template({ slug: 'counted' });
      await service.template({ slug: 'never-bought', tier: 'pro' });
      const answers = await Promise.all(Array.from({ length: 12 }, () => free.get('/api/templates/counted/download')));
      for (const { body } of answers.slice(0, 3)) await (await fetch(body.url)).arrayBuffer();
      await pro.get('/api/templates/never-bought/download');
      const count = async (slug: string) => (await pro.get(`/api/templates/${slug}`)).body.template.download_count;
      expect(await count('counted')).to.equal(12);
      expect(await count('never-bought')).to.equal(0);
    });
  });

  describe('the link to a zip', () => {
    let url: string;
    let bytes: Buffer;
    beforeEach(async () => {
      ({ url } = (await free.get('/api/templates/simple-dex/download')).body);
      bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    });
    const changed = (change: (url: URL) => void) => {
      const other = new URL(url);
      change(other);
      return other;
    };

    it('200 with the zip as an attachment under its file name, without a key', async () => {
      const response = await fetch(url);
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('application/zip');
      expect(response.headers.get('content-disposition')).to.equal('attachment; filename="simple-dex.zip"');
      expect(response.headers.get('cache-control')).to.equal('private, no-store');
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(response.headers.get('accept-ranges')).to.equal('bytes');
      const body = Buffer.from(await response.arrayBuffer());
      expect(response.headers.get('content-length')).to.equal(String(body.length));
      expect(body.equals(await zipOf([{ name: 'README.md', content: 'Template 1' }]))).to.equal(true);
    });

    it('206 with the requested range: from the start, the middle and the end', async () => {
      const size = bytes.length;
      for (const [range, from, to] of [
        ['bytes=0-9', 0, 9],
        ['bytes=10-19', 10, 19],
        ['bytes=20-', 20, size - 1],
        ['bytes=-7', size - 7, size - 1],
        [`bytes=${size - 1}-${size + 100}`, size - 1, size - 1],
      ] as const) {
        const response = await fetch(url, { headers: { Range: range } });
        expect(response.status, range).to.equal(206);
        expect(response.headers.get('content-range'), range).to.equal(`bytes ${from}-${to}/${size}`);
        const part = Buffer.from(await response.arrayBuffer());
        expect(part.equals(bytes.subarray(from, to + 1)), range).to.equal(true);
      }
    });

    it('returns the whole zip piece by piece', async () => {
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += 37) {
        const response = await fetch(url, { headers: { Range: `bytes=${at}-${at + 36}` } });
        pieces.push(Buffer.from(await response.arrayBuffer()));
      }
      expect(Buffer.concat(pieces).equals(bytes)).to.equal(true);
    });

    it('416 in the account envelope for a range after the end', async () => {
      const response = await fetch(url, { headers: { Range: `bytes=${bytes.length}-` } });
      expect(response.status).to.equal(416);
      expect(response.headers.get('content-range')).to.equal(`bytes */${bytes.length}`);
      expect(response.headers.get('content-type')).to.match(/^application\/json/);
      expect(response.headers.get('content-disposition')).to.equal(null);
      expect(await response.json()).to.have.nested.property('error.code', 'RANGE_NOT_SATISFIABLE');
    });

    it('200 without a body for HEAD', async () => {
      const response = await fetch(url, { method: 'HEAD' });
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-length')).to.equal(String(bytes.length));
      expect(response.headers.get('content-disposition')).to.include('simple-dex.zip');
      expect(await response.text()).to.equal('');
    });

    it('405 for every other verb', async () => {
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const response = await fetch(url, { method });
        expect(response.status, method).to.equal(405);
        expect(response.headers.get('allow')).to.equal('GET, HEAD');
        await response.arrayBuffer();
      }
    });

    itLong('404 if any part of it is changed, missing, doubled or taken from another link', async () => {
      const other = new URL((await free.get('/api/templates/simple-nft/download')).body.url);
      const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
      const set = (name: string, make: (value: string) => string) => (link: URL) =>
        link.searchParams.set(name, make(link.searchParams.get(name) ?? ''));
      const changes: Record<string, (link: URL) => void> = {
        'another signature': set('signature', flipped),
        'a shorter signature': set('signature', (value) => value.slice(0, -4)),
        'no signature': (link) => link.searchParams.delete('signature'),
        'an empty signature': set('signature', () => ''),
        'two signatures': (link) => link.searchParams.append('signature', link.searchParams.get('signature') ?? ''),
        'another file name': set('filename', () => 'evil.html'),
        'a longer file name': set('filename', (value) => `${value}\n`),
        'no file name': (link) => link.searchParams.delete('filename'),
        'a later expiry': set('expires', (value) => String(Number(value) + 1)),
        'the same expiry with a leading zero': set('expires', (value) => `0${value}`),
        'an expiry that is not a number': set('expires', () => 'Infinity'),
        'no expiry': (link) => link.searchParams.delete('expires'),
        'the file of another link': (link) => {
          link.pathname = other.pathname;
        },
        'the signature of another link': set('signature', () => other.searchParams.get('signature') ?? ''),
        'another folder': (link) => {
          link.pathname = link.pathname.replace('templates', 'products');
        },
        'only the path': (link) => {
          link.search = '';
        },
      };
      for (const [name, change] of Object.entries(changes)) {
        const response = await fetch(changed(change));
        expect(response.status, name).to.equal(404);
        expect(await response.json(), name).to.have.nested.property('error.code', 'NOT_FOUND');
      }
      expect((await fetch(url)).status).to.equal(200);
    });

    it('403 FORBIDDEN once it has expired, and 404 if an expired link was changed', async () => {
      service.clock.advance(899_999);
      expect((await fetch(url)).status).to.equal(200);
      service.clock.advance(1);
      const response = await fetch(url);
      expect(response.status).to.equal(403);
      expect(response.headers.get('content-disposition')).to.equal(null);
      expect(await response.json()).to.have.nested.property('error.code', 'FORBIDDEN');
      const later = changed((link) => link.searchParams.set('expires', '999999999999'));
      expect((await fetch(later)).status).to.equal(404);
    });

    it('a page that leads on, for browsers, with the same status', async () => {
      const template = await service.template({ slug: 'by-browser' });
      const link = new URL((await free.get('/api/templates/by-browser/download')).body.url);
      const opened = async () => {
        const answer = await service.send(link.pathname + link.search, { headers: { Accept: 'text/html,*/*;q=0.8' } });
        expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
        expect(answer.headers.get('vary')).to.include('Accept');
        expect(answer.text).to.include('href="../../account/purchases"').and.not.include(template.title);
        return [answer.status, readHtml(answer.text).elements('h1')[0]?.text];
      };
      service.clock.advance(900_000);
      expect(await opened()).to.deep.equal([403, 'This link has expired']);
      link.searchParams.set('signature', 'wrong');
      expect(await opened()).to.deep.equal([404, 'There is no file at this address']);
    });

    it('404 once the file is deleted', async () => {
      const template = await service.template({ slug: 'going' });
      const link = (await free.get('/api/templates/going/download')).body.url;
      await (await service.parts.get(t.files)).delete(template.zip);
      expect((await fetch(link)).status).to.equal(404);
    });
  });
});

describe('DOWNLOAD_LINK_LIFETIME', () => {
  itLong('is the lifetime of a link in seconds', async () => {
    await using service = await startAccountService({ DOWNLOAD_LINK_LIFETIME: '5' });
    const account = await service.account();
    await service.template({ slug: 'dex' });
    const { url } = (await account.get('/api/templates/dex/download')).body;
    service.clock.advance(4_999);
    expect((await fetch(url)).status).to.equal(200);
    service.clock.advance(1);
    expect((await fetch(url)).status).to.equal(403);
  });
});

describe('a file in a folder with an odd name', () => {
  itLong('can be downloaded', async () => {
    await using service = await startAccountService({}, { folder: 'a%41 %zz #ü?' });
    const account = await service.account();
    await service.template({ slug: 'dex' });
    const { url } = (await account.get('/api/templates/dex/download')).body;
    const response = await fetch(url);
    expect(response.status).to.equal(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.equals(await zipOf([{ name: 'README.md', content: 'Template 1' }]))).to.equal(true);
  });
});

describe('the purchase check of the operator', () => {
  itLong('is 503 PURCHASE_CHECK_FAILED while its server does not answer, and no download is counted', async () => {
    const placeholder = createServer().listen(0, '127.0.0.1');
    const address = await new Promise<ReturnType<typeof placeholder.address>>((resolve) =>
      placeholder.once('listening', () => resolve(placeholder.address())),
    );
    await new Promise((resolve) => placeholder.close(resolve));
    const port = typeof address === 'object' ? address?.port : undefined;
    await using service = await startAccountService({ PURCHASE_CHECK_URL: `http://127.0.0.1:${port}/check` });
    const account = await service.account('pro');
    await service.template({ slug: 'paid', tier: 'pro' });
    await service.template({ slug: 'free', tier: 'free' });
    for (let call = 0; call < 7; call++) {
      const answer = await account.get('/api/templates/paid/download');
      expect(answer.status).to.equal(503);
      expect(answer.body.error).to.have.all.keys('code', 'message');
      expect(answer.body.error.code).to.equal('PURCHASE_CHECK_FAILED');
    }
    expect((await account.get('/api/templates/paid')).body.template.download_count).to.equal(0);
    expect((await account.get('/api/templates/free/download')).status).to.equal(200);
  });

  itLong('decides instead of the stored purchases, and receives the user and the template', async () => {
    await using purchases = await startPurchaseService((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://service');
      answerPurchase(response, { purchased: searchParams.get('email') === 'user1@example.com' });
    });
    await using service = await startAccountService({
      PURCHASE_CHECK_URL: purchases.url,
      PURCHASE_CHECK_TOKEN: 'secret',
    });
    const buyer = await service.account('free');
    const other = await service.account('enterprise');
    const template = await service.template({ slug: 'paid', tier: 'pro' });
    await service.templates.addPurchase(other.user, template, operator);
    expect((await buyer.get('/api/templates/paid/download')).status).to.equal(200);
    const refused = await other.get('/api/templates/paid/download');
    expect(refused.status).to.equal(403);
    expect(refused.body.error.code).to.equal('NOT_PURCHASED');
    expect(purchases.requests.map(({ url }) => url?.slice(url.indexOf('?')))).to.deep.equal([
      '?user_id=1&email=user1%40example.com&template_id=1&template=paid',
      '?user_id=2&email=user2%40example.com&template_id=1&template=paid',
    ]);
    expect(purchases.requests[0]?.headers.authorization).to.equal('Bearer secret');
  });

  itLong('is 503 if its server returns garbage or another status than 200: never a yes, never a no', async () => {
    let reply: [number, string] = [200, ''];
    await using purchases = await startPurchaseService((_, response) => {
      response.writeHead(reply[0], { 'Content-Type': 'application/json' }).end(reply[1]);
    });
    await using service = await startAccountService({ PURCHASE_CHECK_URL: purchases.url });
    const account = await service.account('pro');
    await service.template({ slug: 'paid', tier: 'pro' });
    for (const bad of [
      [500, '{"purchased":true}'],
      [404, '{"purchased":false}'],
      [200, '{"purchased":"true"}'],
      [200, '<html>'],
    ] as const) {
      reply = [...bad];
      expect((await account.get('/api/templates/paid/download')).status, bad.join(' ')).to.equal(503);
    }
    reply = [200, '{"purchased":true,"more":1}'];
    expect((await account.get('/api/templates/paid/download')).status).to.equal(200);
  });
});
