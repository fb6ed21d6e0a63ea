import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import sharp from 'sharp';
import { usualAccent } from '../../../../adapters/http/ui/accent.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { exampleOffer } from '../../../support/example-product.ts';
import { listingForm, type Part } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { runs } from '../../../support/runs.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';

describe('a product on the pages of other sites', () => {
  let service: AccountService;
  let seller: Account;
  before(async () => {
    service = await startAccountService({ PAYMENTS_URL: 'test:demo', SITE_NAME: 'Shop & Co' });
    seller = await service.account('pro');
  });
  after(() => service.close());

  async function publish(parts: Readonly<Record<string, Part>> = {}, isApproved = true) {
    const { body } = await seller.submit('/api/marketplace/publish', listingForm(parts));
    const { id, slug } = body.product as { id: number; slug: string };
    if (isApproved) await service.products.change(String(id), 'approve', operator);
    return { id: String(id), slug };
  }
  const get = (slug: string, form: 'js' | 'svg', headers: Record<string, string> = {}) =>
    service.send(`/embed/${slug}.${form}`, { headers });
  const rename = async (id: string, title: string) => {
    const products = await service.parts.get(t.sellerProducts);
    good(await products.change(id, { title }, { actor: operator, mode: 'live' }));
  };
  // fetch itself asks for a fresh answer, if it is not told otherwise.
  const unlessIs = (tag: string) => ({ 'If-None-Match': tag, 'Cache-Control': 'max-age=0' });
  /** Returns the facts in the script. They are a JavaScript text that contains JSON. */
  const factsIn = (script: string): Record<string, string> => {
    const [, written = ''] = /JSON\.parse\(("(?:[^"\\]|\\.)*")\)/.exec(script) ?? [];
    return JSON.parse(JSON.parse(written));
  };

  itLong('200: a small script with the current facts, for every site, that sets no cookie', async () => {
    const { slug } = await publish({ title: 'Swap kit', price: '49.90' });
    const { status, headers, text } = await get(slug, 'js', { Origin: 'https://blog.example' });
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'text/javascript; charset=utf-8']);
    expect(headers.get('Cross-Origin-Resource-Policy')).to.equal('cross-origin');
    expect(headers.get('Set-Cookie')).to.equal(null);
    const { picture, ...facts } = factsIn(text);
    const page = `${service.url}/marketplace/${slug}`;
    expect(facts).to.deep.equal({
      page,
      buy: `${page}/buy`,
      title: 'Swap kit',
      price: 'Buy for $49.90',
      accent: usualAccent,
    });
    expect((await fetch(picture ?? '')).headers.get('Content-Type')).to.equal('image/webp');
  });

  it('200: the lowest price of several offers, which are chosen on the page of the product', async () => {
    const { id, slug } = await publish({ title: 'Swap offers', price: '49.90' });
    const offers = await service.parts.get(t.productOffers);
    const add = async (name: string, price: number) =>
      good(await offers.add(id, { ...exampleOffer, slug: undefined, name, price }, { actor: operator, mode: 'live' }));
    const page = `${service.url}/marketplace/${slug}`;
    await add('Team', 9_900);
    expect(factsIn((await get(slug, 'js')).text)).to.include({ buy: `${page}/buy`, price: 'Buy for $99.00' });
    await add('Solo', 2_900);
    expect(factsIn((await get(slug, 'js')).text)).to.include({ buy: page, price: 'Buy from $29.00' });
    expect((await get(slug, 'svg')).text).to.include('Buy from $29.00');
  });

  it('200: a picture of the card, that can load nothing and run nothing', async () => {
    const { slug } = await publish({ title: 'Jar <b>&</b> "Co"', price: '0' });
    const { status, headers, text } = await get(slug, 'svg');
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'image/svg+xml']);
    expect(headers.get('Content-Security-Policy')).to.match(/^default-src 'none'; img-src data:;.* sandbox$/);
    expect(headers.get('Set-Cookie')).to.equal(null);
    expect(text)
      .to.include('Jar &lt;b>&amp;&lt;/b> &quot;Co&quot;')
      .and.to.include('Get it for free')
      .and.to.include('Shop &amp; Co');
    expect(text).to.include('data:image/webp;base64,');
    expect((await sharp(Buffer.from(text)).metadata()).format).to.equal('svg');
  });

  it('304 until the product changes, then the new facts at once', async () => {
    const { id, slug } = await publish({ title: 'First name' });
    const tags = await Promise.all(
      (['js', 'svg'] as const).map(async (form) => {
        const tag = (await get(slug, form)).headers.get('ETag') ?? '';
        expect((await get(slug, form, unlessIs(tag))).status, form).to.equal(304);
        return [form, tag] as const;
      }),
    );
    await rename(id, 'Second name');
    for (const [form, tag] of tags) {
      const { status, text } = await get(slug, form, unlessIs(tag));
      expect([status, text.includes('Second name')], form).to.deep.equal([200, true]);
    }
  });

  it('404 for a product that not everybody may see, or that does not exist', async () => {
    const { slug } = await publish({ title: 'Waits' }, false);
    for (const path of [slug, 'nothing', '%00']) {
      for (const form of ['js', 'svg'] as const) expect((await get(path, form)).status, path).to.equal(404);
    }
    expect((await service.send(`/embed/${slug}`)).status).to.equal(404);
  });

  it('without a way to pay, it leads to the page of the product', async () => {
    await using other = await startAccountService({ PAYMENTS_URL: '' });
    const { body } = await (await other.account('pro')).submit('/api/marketplace/publish', listingForm());
    await other.products.change(String(body.product.id), 'approve', operator);
    const path = `/embed/${body.product.slug}`;
    expect(factsIn((await other.send(`${path}.js`)).text)).to.include({ buy: '', price: 'See the product' });
    expect((await other.send(`${path}.svg`)).text).to.include('See the product');
  });

  it('any title is a valid picture and a valid script', async () => {
    const { id, slug } = await publish({ title: 'Any' });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), fc.constant('a]]>b')),
        async (title) => {
          const kept = title.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '');
          await rename(id, kept);
          const picture = (await get(slug, 'svg')).text;
          expect((await sharp(Buffer.from(picture)).metadata()).format).to.equal('svg');
          expect(factsIn((await get(slug, 'js')).text).title).to.equal(kept);
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it('its usual color is that of the style sheet', async () => {
    const styles = await readFile(new URL('../../../../adapters/http/ui/assets/style.css', import.meta.url), 'utf8');
    expect(styles).to.include(`--accent: ${usualAccent};`);
  });
});
