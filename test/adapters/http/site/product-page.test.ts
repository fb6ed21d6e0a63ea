import { expect } from 'chai';
import { ProductPage } from '../../../../adapters/http/site/product-page.tsx';
import { renderPage } from '../../../../adapters/http/ui/layout.tsx';
import { toProductId } from '../../../../core/id.ts';
import type { Offer } from '../../../../core/marketplace/offers.ts';
import { blankProduct, type Product } from '../../../../core/marketplace/product.ts';
import type { Duration } from '../../../../core/marketplace/product-terms.ts';
import type { ProductVersion } from '../../../../core/marketplace/product-version.ts';
import { readHtml } from '../../../support/html.ts';

const product: Product = {
  ...blankProduct,
  id: toProductId(1),
  slug: 'swap',
  title: 'Swap',
  tagline: '',
  description: '',
  price: 0,
  module: 'dex',
  variant: null,
  category: null,
  subcategory: null,
  tags: [],
  blockchains: [],
  isSupported: false,
  status: 'published',
  ownerId: null,
  isLive: true,
  zip: null,
  thumbnail: null,
  createdAt: 0,
  updatedAt: 0,
};
const frame = { site: 'Shop', root: '../' };
const versions: readonly ProductVersion[] = [
  { ordinal: 2, number: '1.1.0', notes: 'Works with Base.', zip: 'b.zip', size: 1, createdAt: 86_400_000 },
  { ordinal: 1, number: '1.0.0', notes: '', zip: 'a.zip', size: 1, createdAt: 0 },
];
const described = { html: '', summary: '' };
const notes = new Map([[2, { html: '<p>Works with <em>Base</em>.</p>', summary: '' }]]);

/** The page with another seller, other terms or another state. */
function pageOf(
  changes: Partial<Product>,
  { canBeBought = true, isAdmin = false, image = null as string | null } = {},
): string {
  const changed = { ...product, ...changes };
  const card = {
    product: changed,
    site: 'Shop',
    url: 'https://shop.example/marketplace/swap',
    above: 'https://shop.example/marketplace',
    images: [],
    share: 'https://shop.example/share/products/swap.jpg',
    summary: '',
  };
  const counts = { unread: 0, waitingOrders: 0, waitingProducts: 0 };
  const person = { name: 'Ada', isAdmin, ...counts, sells: true, needsSecondFactor: false };
  return renderPage(
    ProductPage({
      ...{ frame: { ...frame, person }, canBeBought, product: changed, versions, notes, described, card },
      image,
    }),
  );
}

/** The offer in the structured data. */
function offerIn(page: string) {
  return JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page)?.[1] ?? '').offers;
}

describe('the page of a product', () => {
  const durations: readonly (readonly [Duration, string])[] = [
    [null, 'Valid for ever'],
    [{ days: 1, from: 'issue' }, 'Valid for 1 day from the day it is issued'],
    [{ days: 3650, from: 'first_activation' }, 'Valid for 3,650 days from its first activation'],
  ];
  for (const [duration, text] of durations) {
    it(`says how long a license is valid: ${text}`, () => {
      const page = pageOf({ terms: { ...product.terms, maxDomains: 1000, duration } });
      expect(readHtml(page).text).to.match(new RegExp(`Works on 1,000 domains ?${text}`));
    });
  }

  it('shows what is new in a version as Markdown, names for people, and no support that is not there', () => {
    const page = pageOf({
      category: 'nft-drop',
      module: 'token',
      variant: 'erc20',
      blockchains: ['bsc'],
      isSupported: false,
    });
    for (const text of ['Works with <em>Base</em>.', '>NFT drop<', 'Token / ERC-20', '>BNB Chain<']) {
      expect(page).to.include(text);
    }
    expect(page).to.include('category=nft-drop').and.not.include('upport');
    expect(pageOf({ isSupported: true })).to.include('The seller provides support.');
  });

  it('names the seller only if the seller has chosen a public name', () => {
    const sellerName = 'Swap & Sons';
    expect(readHtml(pageOf({ sellerName })).text).to.match(/by ?Swap & Sons/);
    expect(offerIn(pageOf({ sellerName })).seller).to.deep.equal({ '@type': 'Organization', name: sellerName });
    expect(readHtml(pageOf({})).text).to.not.match(/\bby\b/);
    expect(offerIn(pageOf({}))).to.not.have.property('seller');
  });

  it('lets buyers choose from several offers without script, and tells search engines the range of their prices', () => {
    const offer: Offer = {
      ...{ slug: 'team', name: 'Team & Co', kind: 'once', price: 9_900, maxDomains: 5, duration: null },
      ...{ updatesMonths: 12, entitlements: ['pro'], isListed: true },
    };
    const offers = [
      offer,
      { ...offer, slug: 'solo', name: 'Solo', price: 2_900 },
      { ...offer, slug: 'x', isListed: false },
    ];
    const page = pageOf({ price: 100, offers });
    expect(page).to.include('<form method="get" action="../marketplace/swap/buy" class="offer-choice">');
    expect(page).to.match(/type="radio" name="offer" value="team" checked/);
    expect(page).to.include('value="solo"').and.to.not.include('value="x"');
    expect(page).to.include('Team &amp; Co').and.to.include('from $29.00');
    expect(offerIn(page)).to.include({
      ...{ '@type': 'AggregateOffer', lowPrice: '29.00', highPrice: '99.00', offerCount: 2, priceCurrency: 'USD' },
    });
    expect(pageOf({ offers }, { canBeBought: false })).to.not.include(
      '<button type="submit" class="button primary buy offer-buy"',
    );
    const one = pageOf({ price: 100, offers: [offer] });
    expect(offerIn(one)).to.include({ '@type': 'Offer', price: '99.00' });
    expect(readHtml(one).text).to.include('Buy for $99.00').and.to.include('New releases for 12 months');
    expect(offerIn(pageOf({ price: 100 }))).to.include({ '@type': 'Offer', price: '1.00' });
  });

  it('says that an archived product is no longer sold', () => {
    expect(offerIn(pageOf({})).availability).to.equal('https://schema.org/InStock');
    expect(offerIn(pageOf({ archivedAt: 1 })).availability).to.equal('https://schema.org/Discontinued');
  });

  it('leads to the demo, the code and the video of the seller, in new tabs that search engines do not follow', () => {
    const links = { demo: 'https://demo.example/?a=1&b', source: null, video: 'https://v.example' };
    const page = pageOf({ links });
    const rel = 'target="_blank" rel="noopener nofollow ugc"';
    expect(page).to.include(`<a href="https://demo.example/?a=1&amp;b" ${rel} class="button">Live demo</a>`);
    expect(page).to.include(`<a href="https://v.example" ${rel} class="button">Watch the video</a>`);
    expect(page).to.not.include('Source code');
    const withPicture = pageOf({ links }, { image: '../media/jar.png' });
    expect(withPicture).to.match(
      /<a href="https:\/\/v\.example" [^>]*class="video"><picture>.*jar\.png.*<span>Watch the video<\/span><\/a>/s,
    );
    expect(withPicture.split('Watch the video')).to.have.lengthOf(2);
    expect(pageOf({})).to.not.include('nofollow ugc');
  });

  it('leads to the purchase, for a price or for free, unless the product is not for sale', () => {
    const linkIn = (page: string) => readHtml(page).links.find(({ href }) => href === '../marketplace/swap/buy')?.text;
    expect(linkIn(pageOf({ price: 4990 }))).to.equal('Buy for $49.90');
    expect(linkIn(pageOf({ price: 0 }))).to.equal('Get it for free');
    for (const closed of [{ archivedAt: 1 }, { status: 'pending' }, { isLive: false }] as const) {
      expect(linkIn(pageOf(closed)), JSON.stringify(closed)).to.equal(undefined);
    }
  });

  it('says so instead if there is no way to pay, and leads administrators to the guide', () => {
    const page = pageOf({ price: 4990 }, { canBeBought: false });
    expect(readHtml(page).text).to.include('cannot be bought at the moment').and.not.include('Buy for');
    expect(offerIn(page).availability).to.equal('https://schema.org/OutOfStock');
    const hrefs = (html: string) => readHtml(html).links.map(({ href }) => href);
    expect(hrefs(page)).to.not.include('../docs/payments').and.not.include('../marketplace/swap/buy');
    expect(hrefs(pageOf({ price: 4990 }, { canBeBought: false, isAdmin: true }))).to.include('../docs/payments');
  });

  it('tells in words what the license allows', () => {
    const hosts = { localHostsAreFree: true, previewHosts: ['*.vercel.app'], wwwIsApex: true } as const;
    const { text } = readHtml(pageOf({ terms: { ...product.terms, hosts, movesPerMonth: 1 } }));
    for (const promise of [
      'Works on 1 domain',
      'Move domains up to once a month',
      'Sites on your own machine, such as localhost, do not count',
      'Preview deployments do not count',
      'A site with and without www is one domain',
    ]) {
      expect(text).to.include(promise);
    }
  });

  it('lists the versions with their notes, newest first', () => {
    expect(readHtml(pageOf({})).text).to.match(/Versions ?1\.1\.0 ?Newest[\s\S]*Works with Base\.[\s\S]*1\.0\.0/);
  });
});
