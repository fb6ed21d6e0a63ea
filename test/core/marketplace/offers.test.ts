import { expect } from 'chai';
import {
  isOfferSlug,
  listedOffers,
  type Offer,
  offeredAs,
  offerLimits,
  priceRange,
  withChangedOffer,
  withOffer,
  withoutOffer,
} from '../../../core/marketplace/offers.ts';
import { good } from '../../support/good.ts';
import { newProduct } from '../../support/license-acts.ts';

const offer = (slug: string, more: Partial<Offer> = {}): Offer => ({
  slug,
  name: slug.toUpperCase(),
  kind: 'once',
  price: 4_900,
  maxDomains: 3,
  duration: { days: 90, from: 'issue' },
  updatesMonths: 12,
  entitlements: ['pro'],
  isListed: true,
  ...more,
});
const slugs = (offers: readonly Offer[]) => offers.map(({ slug }) => slug);
const three = [offer('a'), offer('b'), offer('c')];

describe('the offers of a product', () => {
  it('have slugs of lower-case letters and digits, with single hyphens', () => {
    for (const good of ['a', '7', 'team-2', 'x'.repeat(40)]) expect(isOfferSlug(good), good).to.equal(true);
    for (const bad of ['', '-a', 'a-', 'a--b', 'A', 'a b', 'ä', 'x'.repeat(41)]) {
      expect(isOfferSlug(bad), bad).to.equal(false);
    }
  });

  it('are added and moved to a place, and a place beyond the end is the last one', () => {
    expect(slugs(good(withOffer(three, offer('d'), undefined)))).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(slugs(good(withOffer(three, offer('d'), 1)))).to.deep.equal(['d', 'a', 'b', 'c']);
    expect(slugs(good(withOffer(three, offer('d'), 20)))).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(slugs(good(withChangedOffer(three, 'c', {}, 1)))).to.deep.equal(['c', 'a', 'b']);
    expect(slugs(good(withChangedOffer(three, 'a', {}, 9)))).to.deep.equal(['b', 'c', 'a']);
    expect(slugs(good(withoutOffer(three, 'b')))).to.deep.equal(['a', 'c']);
  });

  it('keep their place and all fields that a change does not name', () => {
    const changed = good(withChangedOffer(three, 'b', { price: 0, duration: null, name: undefined }, undefined));
    expect(changed).to.deep.equal([three[0], offer('b', { price: 0, duration: null }), three[2]]);
  });

  it('are refused twice, beyond the limit, and if there is no such offer', () => {
    expect(withOffer(three, offer('b'), 1)).to.include({ reason: 'offer_exists' });
    const most = Array.from({ length: offerLimits.offers }, (_, n) => offer(`o${n}`));
    expect(withOffer(most, offer('more'), 1)).to.include({ reason: 'too_many_offers' });
    expect(withChangedOffer(three, 'd', {}, 1)).to.include({ reason: 'offer_not_found' });
    expect(withoutOffer(three, 'd')).to.include({ reason: 'offer_not_found' });
  });

  it('give the product its prices only if they are listed', () => {
    const product = newProduct();
    expect(priceRange(product)).to.deep.equal({ lowest: 4_990, highest: 4_990 });
    const hidden = { ...product, offers: [offer('x', { price: 1, isListed: false })] };
    expect([listedOffers(hidden), priceRange(hidden).lowest]).to.deep.equal([[], 4_990]);
    const listed = { ...product, offers: [offer('a', { price: 900 }), ...hidden.offers, offer('b', { price: 300 })] };
    expect(priceRange(listed)).to.deep.equal({ lowest: 300, highest: 900 });
  });

  it('sell the product at their price and with their terms, and all other terms stay', () => {
    const product = newProduct({ offers: [offer('hidden', { isListed: false }), offer('a'), offer('b')] });
    const sold = offeredAs(product, undefined);
    expect(sold?.offer?.slug, 'the first listed one').to.equal('a');
    expect(sold?.product).to.deep.equal({
      ...product,
      price: 4_900,
      prices: {},
      terms: { ...product.terms, maxDomains: 3, duration: { days: 90, from: 'issue' } },
    });
    expect(offeredAs(product, 'hidden')?.offer?.slug).to.equal('hidden');
    expect(offeredAs(product, 'none')).to.equal(undefined);
    const plain = newProduct();
    expect(offeredAs(plain, undefined)).to.deep.equal({ product: plain, offer: null, currency: 'usd' });
    expect(offeredAs(plain, '')).to.equal(undefined);
  });
});
