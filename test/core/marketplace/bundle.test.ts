import { expect } from 'chai';
import { toProductId } from '../../../core/id.ts';
import { savingOf } from '../../../core/marketplace/bundle.ts';
import { type Offer, type OfferedAs, soldBy } from '../../../core/marketplace/offers.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { newProduct } from '../../support/license-acts.ts';
import { offerOf } from '../../support/subscriptions.ts';

const product = (fields: Partial<Product>): Product => ({ ...newProduct(fields), id: toProductId(1) });
const own = (fields: Partial<Product>): OfferedAs<Product> => ({
  product: product(fields),
  offer: null,
  currency: 'usd',
});
const by = (offer: Partial<Offer>): OfferedAs<Product> => {
  const one = offerOf({ slug: 'team', kind: 'once', price: 4_000, recurs: null, ...offer });
  return soldBy(product({ price: 1_000, offers: [one] }), one);
};

describe('what a bundle saves', () => {
  const plain = own({ price: 3_000, prices: { eur: 2_500 } });

  it('is the sum of the prices at which its products are sold alone, less its own', () => {
    expect(savingOf([plain, own({ price: 500 })], 2_000, 'usd')).to.deep.equal({ alone: 3_500, saved: 1_500 });
    expect(savingOf([plain, by({})], 2_000, 'usd')).to.deep.equal({ alone: 7_000, saved: 5_000 });
    expect(savingOf([plain, plain], 4_000, 'eur')).to.deep.equal({ alone: 5_000, saved: 1_000 });
  });

  it('is nothing if the products cost as much alone, or less', () => {
    expect(savingOf([plain, plain], 6_000, 'usd')).to.equal(undefined);
    expect(savingOf([plain, plain], 6_100, 'usd')).to.equal(undefined);
  });

  it('is nothing if one of the products cannot be bought alone at its price, or not in the currency', () => {
    const onlyByOffer = own({ price: 9_000, offers: [offerOf({ slug: 'team', kind: 'once', recurs: null })] });
    const byLink = by({ isListed: false });
    const chosen = own({ price: 9_000, leastPrices: { usd: 100 } });
    for (const content of [onlyByOffer, byLink, chosen, by({ leastPrices: { usd: 100 } })]) {
      expect(savingOf([plain, content], 100, 'usd')).to.equal(undefined);
    }
    expect(savingOf([plain, own({ price: 9_000, prices: {} })], 100, 'eur')).to.equal(undefined);
  });
});
