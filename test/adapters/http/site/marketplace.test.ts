import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { listingForm, type Part } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import { readHtml } from '../../../support/html.ts';
import { itLong } from '../../../support/required-service.ts';
import { type AccountService, startAccountService } from '../account/account-service.ts';

describe('the page of the marketplace', () => {
  let service: AccountService;
  before(async () => {
    service = await startAccountService({ SITE_NAME: 'Acme' });
  });
  after(() => service.close());

  async function publish(parts: Readonly<Record<string, Part>>): Promise<void> {
    const seller = await service.account('pro');
    const { body } = await seller.submit('/api/marketplace/publish', listingForm(parts));
    good(await service.products.change(String(body.product.id), 'approve', operator));
  }
  async function page(query = '') {
    const { status, headers, text } = await service.send(`/marketplace${query}`, { headers: { Accept: 'text/html' } });
    expect(status, query).to.equal(200);
    const read = readHtml(text);
    const titles = read.links.filter(({ href }) => /marketplace\/[^/?]+$/.test(href)).map((link) => link.text);
    const rel = (name: string) => read.elements('a').find(({ attributes }) => attributes.rel === name)?.attributes.href;
    return { ...read, headers, html: text, titles, next: rel('next'), previous: rel('prev') };
  }
  const metaOf = ({ elements }: Awaited<ReturnType<typeof page>>, name: string) =>
    elements('meta').find(({ attributes: { property, name: own } }) => property === name || own === name)?.attributes
      .content;

  it('says that there are no products yet', async () => {
    expect((await page()).text).to.include('No products yet');
  });

  it('shows price, seller, blockchains and support of each product, and a drawing without a picture', async () => {
    await publish({
      title: 'Café DEX',
      price: '10',
      is_supported: 'true',
      category: 'DeFi',
      blockchains: '["Base","Ton"]',
    });
    await publish({ title: 'Tip <b>jar</b>', price: '0', category: 'Tools' });
    const { id } = good(await service.products.add({ title: 'Plain', ownerId: null }, operator));
    good(await service.products.change(String(id), 'approve', operator));
    const { titles, text, html, elements } = await page();
    expect(titles).to.deep.equal(['Plain', 'Tip <b>jar</b>', 'Café DEX']);
    expect(text).to.match(/Café DEX[\s\S]*Base ?Ton ?\$10\.00 ?Supported/);
    expect(text).to.match(/Tip <b>jar<\/b>[\s\S]*Free/);
    expect(elements('img')).to.have.lengthOf(2);
    expect(elements('svg').filter(({ attributes }) => attributes.class?.includes('drawing'))).to.have.lengthOf(1);
    expect(html).to.not.match(/<script(?! type="application\/ld\+json")|<style|style=/);
  });

  it('shows why it found a product: the words of its description, and what it searched for instead of a typo', async () => {
    await publish({ title: 'Vote box', description: `${'Long before it. '.repeat(20)}With <quadratic> Voting, too.` });
    const { html, text } = await page('?q=quadr');
    expect(text).to.match(/Vote box[\s\S]*… .*With <quadratic> Voting, too\./);
    expect(html).to.include('<mark>quadratic</mark>');
    expect((await page('?q=vote')).html, 'the title shows it').to.not.include('class="excerpt"');
    const corrected = await page('?q=Votign+box');
    expect(corrected.titles).to.deep.equal(['Vote box']);
    expect(corrected.text).to.include('No product has “Votign box”. These products have “voting box”.');
    expect(corrected.html).to.include('<mark>Voting</mark>');
    const { body } = await service.send('/api/marketplace/products?search=votign');
    expect(body).to.deep.include({ corrected_search: 'voting', next_cursor: null });
    expect((await service.send('/api/marketplace/products?search=voting')).body.corrected_search).to.equal(null);
    good(await service.products.change(String(body.data[0].id), 'unlist', operator));
  });

  it('finds what the address says, and offers to remove each choice', async () => {
    const found = await page('?q=CAFE&category=defi&blockchain=base&from=5&to=20&supported=1&sort=price_low');
    expect(found.titles).to.deep.equal(['Café DEX']);
    expect(found.title).to.equal('Results for “CAFE” · Acme');
    const [form] = found.forms;
    expect(form?.values).to.deep.include({
      category: ['defi'],
      from: ['5'],
      to: ['20'],
      supported: ['1'],
      sort: ['price_low'],
    });
    const chips = found.elements('a').filter(({ attributes }) => attributes.class === 'chip');
    expect(chips.map(({ attributes }) => attributes['aria-label'])).to.deep.equal([
      'Remove the filter “CAFE”',
      'Remove the filter DeFi',
      'Remove the filter Base',
      'Remove the filter from $5.00',
      'Remove the filter up to $20.00',
      'Remove the filter Supported',
    ]);
    const [first] = chips;
    expect(first?.attributes.href).to.equal(
      './marketplace?category=defi&blockchain=base&from=5&to=20&supported=1&sort=price_low',
    );
    const none = await page('?q=nothing');
    expect([none.titles, none.text.includes('Nothing matches')]).to.deep.equal([[], true]);
  });

  it('shows the best match of a search first, unless another order is chosen; without words, the newest product', async () => {
    const add = async (title: string) => {
      const { id } = good(await service.products.add({ title, ownerId: null }, operator));
      good(await service.products.change(String(id), 'approve', operator));
      return String(id);
    };
    const ids = [await add('Lantern'), await add('Oil for a lantern')];
    const sorts = ({ elements, links }: Awaited<ReturnType<typeof page>>) => [
      elements('a').find(({ attributes }) => attributes['aria-current'] === 'true' && attributes.class === 'sort-link')
        ?.text,
      links.some(({ text }) => text === 'Best match'),
    ];
    const found = await page('?q=lantern');
    expect([found.titles, sorts(found)]).to.deep.equal([
      ['Lantern', 'Oil for a lantern'],
      ['Best match', true],
    ]);
    const newest = await page('?q=lantern&sort=newest');
    expect([newest.titles, sorts(newest)]).to.deep.equal([
      ['Oil for a lantern', 'Lantern'],
      ['Newest', true],
    ]);
    expect(newest.forms[0]?.values.sort, 'the next search keeps the choice').to.deep.equal(['newest']);
    const all = await page('?sort=relevance');
    expect([all.titles[0], sorts(all)]).to.deep.equal(['Oil for a lantern', ['Newest', false]]);
    const { body } = await service.send('/api/marketplace/products?search=lantern&sort=relevance&limit=1');
    expect([body.data[0].title, typeof body.next_cursor]).to.deep.equal(['Lantern', 'string']);
    for (const id of ids) good(await service.products.change(id, 'unlist', operator));
  });

  it('ignores what makes no sense', async () => {
    const all = (await page()).titles;
    for (const query of [
      '?from=x&to=-1&supported=yes&sort=best',
      '?after=x',
      '?before=~',
      '?q=%00',
      '?q=a&q=b',
      '?after=1~1',
    ])
      expect((await page(query)).titles, query).to.deep.equal(all);
  });

  it('has an address of its own, a description, and is not kept by search engines for each search', async () => {
    const plain = await page();
    expect(metaOf(plain, 'description')).to.include('dApps');
    expect(metaOf(plain, 'og:title')).to.equal('Marketplace');
    expect(metaOf(plain, 'robots')).to.equal(undefined);
    const filtered = await page('?category=tools&sort=newest&after=99');
    const canonical = ({ elements }: typeof plain) =>
      elements('link').find(({ attributes }) => attributes.rel === 'canonical')?.attributes.href;
    expect(canonical(plain)).to.equal(`${service.url}/marketplace`);
    expect(canonical(filtered)).to.equal(`${service.url}/marketplace?category=tools`);
    expect(metaOf(await page('?q=x'), 'robots')).to.equal('noindex, follow');
    expect(plain.headers.get('Content-Security-Policy')).to.not.include('unsafe');
  });

  itLong('leads to the next page and back, with all choices', async () => {
    for (let number = 1; number <= 25; number++) {
      const { id } = good(await service.products.add({ title: `Jar ${number}`, ownerId: null }, operator));
      good(await service.products.change(String(id), 'approve', operator));
    }
    const first = await page('?q=jar&sort=price_high');
    expect(first.titles).to.have.lengthOf(24);
    expect(first.previous).to.equal(undefined);
    const next = new URL(first.next ?? '', `${service.url}/`);
    expect(Object.fromEntries(next.searchParams)).to.include({ q: 'jar', sort: 'price_high' });
    const second = await page(next.search);
    expect(second.titles).to.have.lengthOf(2);
    expect(second.next).to.equal(undefined);
    const back = await page(new URL(second.previous ?? '', `${service.url}/`).search);
    expect(back.titles).to.deep.equal(first.titles);
  });
});
