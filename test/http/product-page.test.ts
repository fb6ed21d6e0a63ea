import { expect } from 'chai';
import { ProductPage } from '../../adapters/http/site/product-page.tsx';
import { renderPage } from '../../adapters/http/ui/layout.tsx';
import { toProductId } from '../../core/id.ts';
import { newOffer, type Product } from '../../core/marketplace/product.ts';
import type { Duration } from '../../core/marketplace/product-terms.ts';
import { readHtml } from '../support/html.ts';

const product: Product = {
  ...newOffer,
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
const described = { html: '', summary: '' };

/** The page with another seller, other terms or another state. */
function pageOf(changes: Partial<Product>): string {
  const changed = { ...product, ...changes };
  const card = {
    product: changed,
    site: 'Shop',
    url: 'https://shop.example/marketplace/swap',
    image: null,
    summary: '',
  };
  return renderPage(ProductPage({ frame, product: changed, described, image: null, card }));
}

/** The offer in the structured data. */
function offerIn(page: string) {
  return JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page)?.[1] ?? '').offers;
}

describe('the page of a product', () => {
  const durations: readonly (readonly [Duration, string])[] = [
    [null, 'For ever'],
    [{ days: 1, from: 'issue' }, '1 day from the day it is issued'],
    [{ days: 3650, from: 'first_activation' }, '3,650 days from its first activation'],
  ];
  for (const [duration, text] of durations) {
    it(`says how long a license is valid: ${text}`, () => {
      const page = pageOf({ terms: { ...product.terms, maxDomains: 1000, duration } });
      expect(readHtml(page).text).to.match(new RegExp(`Domains per license ?1,000 ?A license is valid ?${text}`));
    });
  }

  it('names the seller only if the seller has chosen a public name', () => {
    const sellerName = 'Swap & Sons';
    expect(readHtml(pageOf({ sellerName })).text).to.match(/Seller ?Swap & Sons/);
    expect(offerIn(pageOf({ sellerName })).seller).to.deep.equal({ '@type': 'Organization', name: sellerName });
    expect(readHtml(pageOf({})).text).to.not.include('Seller');
    expect(offerIn(pageOf({}))).to.not.have.property('seller');
  });

  it('says that an archived product is no longer sold', () => {
    expect(offerIn(pageOf({})).availability).to.equal('https://schema.org/InStock');
    expect(offerIn(pageOf({ archivedAt: 1 })).availability).to.equal('https://schema.org/Discontinued');
  });
});
