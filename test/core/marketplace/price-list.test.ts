import { expect } from 'chai';
import fc from 'fast-check';
import { currencies, decimalsOf, formatAmount, mostAmount, parseAmount, payable } from '../../../core/currency.ts';
import {
  choicesIn,
  currenciesFor,
  inCurrency,
  type Offer,
  offeredAs,
  withOffer,
} from '../../../core/marketplace/offers.ts';
import { checkedPrices, currenciesOf, mostPrices, type Priced, priceIn } from '../../../core/marketplace/price-list.ts';
import { good } from '../../support/good.ts';
import { newProduct } from '../../support/license-acts.ts';

const offer = (slug: string, more: Partial<Offer> = {}): Offer => ({
  ...{ slug, name: slug, kind: 'once', price: 4_900, maxDomains: 1, duration: null, updatesMonths: null },
  ...{ entitlements: [], isListed: true, ...more },
});
const detailOf = (priced: Priced) => Reflect.get(checkedPrices(priced), 'detail');

describe('a list of prices by currency', () => {
  it('knows the decimals of all currencies that Stripe takes, whatever the platform says of them', () => {
    expect(currencies).to.have.length.above(135);
    expect(['usd', 'jpy', 'kwd', 'huf', 'isk', 'mga', 'xyz'].map(decimalsOf)).to.deep.equal([
      2,
      0,
      3,
      2,
      0,
      0,
      undefined,
    ]);
  });

  it('writes each amount so that it is read again', () => {
    for (const currency of currencies) {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: mostAmount }), (amount) => {
          expect(parseAmount(formatAmount(amount, currency), currency), currency).to.equal(amount);
        }),
        { numRuns: 20 },
      );
    }
    expect([formatAmount(7_000, 'jpy'), formatAmount(12_500, 'kwd'), formatAmount(5, 'eur')]).to.deep.equal([
      '7000',
      '12.500',
      '0.05',
    ]);
    for (const [text, currency] of [
      ['7000.5', 'jpy'],
      ['1.234', 'eur'],
      ['9999999999999', 'eur'],
      ['-1', 'eur'],
      ['1', 'xyz'],
    ] as const) {
      expect(parseAmount(text, currency), `${text} ${currency}`).to.equal(undefined);
    }
  });

  it('is kept in one order, and refused with the reason', () => {
    const { prices } = good(checkedPrices({ price: 1, prices: { jpy: 7_000, eur: 4_500 } }));
    expect(Object.keys(prices)).to.deep.equal(['eur', 'jpy']);
    expect(detailOf({ price: 1, prices: { usd: 5 } })).to.match(/USD is the price itself/);
    expect(detailOf({ price: 1, prices: { xyz: 5 } })).to.match(/XYZ are not supported/);
    expect(detailOf({ price: 1, prices: { EUR: 5 } })).to.match(/not supported/);
    expect(detailOf({ price: 1, prices: { eur: 0 } })).to.match(/more than 0/);
    expect(detailOf({ price: 1, prices: { eur: 1.5 } })).to.match(/more than 0/);
    expect(detailOf({ price: 1, prices: { eur: mostAmount + 1 } })).to.match(/too large/);
    expect(detailOf({ price: 1, prices: { kwd: 12_505 } })).to.match(/third decimal/);
    expect(detailOf({ price: 0, prices: { eur: 5 } })).to.match(/free/);
    const many = Object.fromEntries(currencies.slice(0, mostPrices + 1).map((code) => [code, 10]));
    expect(detailOf({ price: 1, prices: many })).to.match(/at most 20/);
  });

  it('gives the listed price of each of its currencies and no other, also for names that every object has', () => {
    const priced = { price: 4_900, prices: { eur: 4_500, jpy: 7_000 } };
    expect(currenciesOf(priced)).to.deep.equal(['usd', 'eur', 'jpy']);
    expect(['usd', 'eur', 'jpy', 'gbp', 'toString', '__proto__'].map((code) => priceIn(priced, code))).to.deep.equal([
      4_900,
      4_500,
      7_000,
      undefined,
      undefined,
      undefined,
    ]);
    expect([priceIn({ price: 0 }, 'eur'), priceIn({ price: 0 }, 'xyz')]).to.deep.equal([0, undefined]);
  });

  it('rounds what is computed down to what card networks take', () => {
    expect([payable(1_239, 'kwd'), payable(1_239, 'eur'), payable(1_239, 'jpy')]).to.deep.equal([1_230, 1_239, 1_239]);
  });
});

describe('an offer in a currency', () => {
  const product = newProduct({
    price: 1_000,
    prices: { gbp: 800 },
    offers: [offer('a', { prices: { eur: 4_500 } }), offer('b', { price: 900, prices: { eur: 850, jpy: 130 } })],
  });

  it('is sold at its own list, never at that of the product or of another offer', () => {
    const sold = offeredAs(product, 'b');
    const inYen = sold && inCurrency(sold, 'jpy');
    expect([inYen?.product.price, inYen?.offer?.price, inYen?.currency]).to.deep.equal([130, 130, 'jpy']);
    expect(sold && inCurrency(sold, 'gbp')).to.equal(undefined);
    expect(inYen && inCurrency(inYen, 'eur'), 'a price is not looked up twice').to.equal(undefined);
  });

  it('is shown in the base currency if its seller has set no price in the wanted one', () => {
    const shown = choicesIn(product, 'jpy').map(({ product, currency }) => [product.price, currency]);
    expect(shown).to.deep.equal([
      [4_900, 'usd'],
      [130, 'jpy'],
    ]);
    expect(currenciesFor(product)).to.deep.equal(['usd', 'eur', 'jpy']);
    expect(currenciesFor({ ...product, offers: [] })).to.deep.equal(['usd', 'gbp']);
  });

  it('keeps its form without other prices, and a wrong list is refused as a wrong offer', () => {
    expect(withOffer([], offer('a', { prices: {} }), undefined)).to.deep.equal([offer('a')]);
    expect(withOffer([], offer('a', { prices: { xyz: 1 } }), undefined)).to.include({ reason: 'invalid_offer' });
    const free = offer('t', { kind: 'trial', price: 0, duration: { days: 7, from: 'issue' }, prices: { eur: 5 } });
    expect(withOffer([], free, undefined)).to.include({ reason: 'invalid_offer' });
  });
});
