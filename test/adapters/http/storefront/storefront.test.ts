import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { listingForm, type Part } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';

const address = '/api/marketplace/products';

describe('the products that everybody can buy, over the API', () => {
  let service: AccountService;
  let seller: Account;
  beforeEach(async () => {
    service = await startAccountService();
    seller = await service.account('pro');
  });
  afterEach(() => service.close());

  async function publish(parts: Readonly<Record<string, Part>> = {}): Promise<string> {
    const { body } = await seller.submit('/api/marketplace/publish', listingForm(parts));
    good(await service.products.change(String(body.product.id), 'approve', operator));
    return body.product.slug;
  }
  const list = (query = '') => service.send(`${address}${query}`);
  const slugs = async (query: string) => (await list(query)).body.data.map(({ slug }: { slug: string }) => slug);

  itLong('200: lists them without a key, and lets caches and pages of any origin read them', async () => {
    await publish({ title: 'Tip Jar', tags: '["tips"]', blockchains: '["Base"]', category: 'tools' });
    const { status, body, headers } = await service.send(address, { headers: { Origin: 'https://any.example' } });
    expect(status).to.equal(200);
    expect(headers.get('Cache-Control')).to.equal('public, max-age=60');
    expect(headers.get('Access-Control-Allow-Origin')).to.equal('*');
    const [item] = body.data;
    expect(body).to.deep.equal({ success: true, data: [item], next_cursor: null, corrected_search: null });
    expect(item).to.deep.include({
      slug: 'tip-jar',
      title: 'Tip Jar',
      price: '49.90',
      currency: 'USD',
      module: 'token',
      category: 'tools',
      tags: ['tips'],
      blockchains: ['Base'],
      is_supported: false,
      seller_name: null,
      version: '1',
      max_domains: 1,
      duration: null,
      url: `${service.url}/marketplace/tip-jar`,
    });
    expect((await fetch(item.thumbnail_url)).status).to.equal(200);
    for (const secret of ['sold', 'owner', seller.user.email, 'zip']) {
      expect(JSON.stringify(body)).to.not.include(secret);
    }
  });

  itLong('200: searches, filters and sorts', async () => {
    await publish({ title: 'Café DEX', price: '10', is_supported: 'true', category: 'DeFi', module: 'dex' });
    await publish({ title: 'Money jar', price: '0', blockchains: '["Base", "Solana"]' });
    await publish({ title: 'Dear jar', price: '99.50', blockchains: '["Solana"]', subcategory: 'glass' });
    for (const [query, found] of [
      ['', ['dear-jar', 'money-jar', 'cafe-dex']],
      ['?search=CAFE', ['cafe-dex']],
      ['?search=jar+mon', ['money-jar']],
      ['?category=defi', ['cafe-dex']],
      ['?subcategory=glass', ['dear-jar']],
      ['?module=DEX', ['cafe-dex']],
      ['?blockchain=solana', ['dear-jar', 'money-jar']],
      ['?price_from=0.01&price_to=50', ['cafe-dex']],
      ['?supported=true', ['cafe-dex']],
      ['?supported=false&search=', ['dear-jar', 'money-jar', 'cafe-dex']],
      ['?sort=price_low', ['money-jar', 'cafe-dex', 'dear-jar']],
      ['?sort=price_high&search=jar', ['dear-jar', 'money-jar']],
      ['?search=nothing', []],
    ] as const) {
      expect(await slugs(query), query).to.deep.equal(found);
    }
    await service.database.write((trx) => trx('products').where({ slug: 'cafe-dex' }).update({ sold: 3 }));
    expect(await slugs('?sort=most_sold')).to.deep.equal(['cafe-dex', 'dear-jar', 'money-jar']);
  });

  itLong('200: leads to the next page with a cursor', async () => {
    for (const title of ['One', 'Two', 'Three']) await publish({ title });
    for (const sort of ['newest', 'price_low', 'price_high', 'most_sold']) {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const { body } = await list(`?limit=2&sort=${sort}${cursor === null ? '' : `&cursor=${cursor}`}`);
        found.push(...body.data.map(({ slug }: { slug: string }) => slug));
        cursor = body.next_cursor;
      } while (cursor !== null);
      expect(found, sort).to.have.members(['one', 'two', 'three']);
    }
  });

  itLong('200: returns one with its terms, its versions and its description', async () => {
    const slug = await publish({ title: 'Tip Jar' });
    const { status, body, headers } = await list(`/${slug}`);
    expect(status).to.equal(200);
    expect(headers.get('Cache-Control')).to.equal('public, max-age=60');
    expect(body.data.description).to.equal('Launches a token in a minute, on any chain.');
    expect(body.data.terms).to.include({ max_domains: 1, duration: null, on_refund: 'revoke' });
    const [{ created_at, ...version }, ...more] = body.data.versions;
    expect([version, more]).to.deep.equal([{ number: '1', notes: '' }, []]);
    expect(Date.parse(created_at)).to.equal(service.clock.now());
  });

  itLong('304: sends an answer only if it has changed', async () => {
    const slug = await publish({ title: 'Tip Jar' });
    for (const path of ['', `/${slug}`]) {
      const { headers } = await list(path);
      const etag = headers.get('ETag') ?? '';
      const again = () =>
        service.send(`${address}${path}`, { headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' } });
      expect((await again()).status, path).to.equal(304);
      service.clock.advance(1000);
      await service.products.change(slug, 'unlist', operator);
      await service.products.change(slug, 'relist', operator);
      expect((await again()).status, path).to.equal(200);
    }
  });

  itLong('404: does not know products that not everybody can buy', async () => {
    const slug = await publish({ title: 'Tip Jar' });
    expect((await list('/no-such')).body.error.code).to.equal('NOT_FOUND');
    for (const act of ['unlist', 'archive'] as const) {
      good(await service.products.change(slug, act, operator));
      const { status, headers } = await list(`/${slug}`);
      expect([status, headers.get('Cache-Control')]).to.deep.equal([404, 'no-store']);
      expect((await list()).body.data).to.deep.equal([]);
    }
  });

  it('405: only reads', async () => {
    const { status, headers } = await service.send(address, { method: 'POST' });
    expect([status, headers.get('Allow')]).to.deep.equal([405, 'GET, HEAD']);
  });

  itLong('422: names each wrong parameter', async () => {
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['cursor=x', 'cursor'],
      ['cursor=5&sort=price_low', 'cursor'],
      ['price_from=-1', 'price_from'],
      ['price_to=cheap', 'price_to'],
      ['sort=best', 'sort'],
      ['supported=yes', 'supported'],
      [`search=${'x'.repeat(201)}`, 'search'],
      ['category=a&category=b', 'category'],
    ] as const) {
      const { status, body } = await list(`?${query}`);
      expect([status, Object.keys(body.error?.fields ?? {})], query).to.deep.equal([422, [field]]);
    }
  });

  itLong('429: counts the calls of an address as the free plan does, also with a key', async () => {
    await using limited = await startAccountService({ RATE_LIMIT_URL: 'memory:' });
    const caller = await limited.account('enterprise');
    for (let call = 0; call < 30; call++) {
      const { status, headers } = await (call % 2 === 0 ? limited.send(address) : caller.get(address));
      expect([status, headers.get('X-RateLimit-Limit')]).to.deep.equal([200, '30']);
    }
    const { status, body, headers } = await limited.send(address);
    expect([status, body.error.code]).to.deep.equal([429, 'RATE_LIMITED']);
    // Pages of other origins can read the refusal, too.
    expect(headers.get('Access-Control-Allow-Origin')).to.equal('*');
    expect(headers.get('Retry-After')).to.match(/^\d+$/);
  });
});
