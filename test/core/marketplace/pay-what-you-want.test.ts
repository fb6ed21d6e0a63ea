import { expect } from 'chai';
import fc from 'fast-check';
import { baseCurrency, currencies, mostAmount, payable, shownCode } from '../../../core/currency.ts';
import {
  atLowestPrice,
  inCurrency,
  type Offer,
  type OfferKind,
  offeredAs,
  offerKinds,
  priceRange,
  withChangedOffer,
  withOffer,
} from '../../../core/marketplace/offers.ts';
import { atAmount, choiceOf } from '../../../core/marketplace/price-choice.ts';
import { checkedPrices, currenciesOf, type Priced } from '../../../core/marketplace/price-list.ts';
import { takenOff } from '../../../core/purchases/coupon.ts';
import { isRefused } from '../../../core/refusal.ts';
import { good } from '../../support/good.ts';
import { newProduct } from '../../support/license-acts.ts';

const offer = (slug: string, more: Partial<Offer> = {}): Offer => ({
  ...{ slug, name: slug, kind: 'once', price: 4_900, maxDomains: 1, duration: null, updatesMonths: null },
  ...{ entitlements: [], isListed: true, ...more },
});
const detailOf = (priced: Priced) => Reflect.get(checkedPrices(priced), 'detail');
const amounts = fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 999_999_999 }));
/** A seller's prices, each with a least one that is not larger. */
const choices: fc.Arbitrary<Required<Priced> & { readonly prices: object; readonly leastPrices: object }> = fc
  .tuple(
    amounts,
    fc.dictionary(fc.constantFrom(...currencies.filter((one) => one !== baseCurrency)), amounts, { maxKeys: 4 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  .map(([price, listed, part]) => {
    const prices = Object.fromEntries(
      Object.entries(listed).map(([currency, amount]) => [currency, payable(amount, currency) || 10]),
    );
    const all = { ...prices, [baseCurrency]: price };
    const leastPrices = Object.fromEntries(
      Object.entries(all).map(([currency, amount]) => [currency, payable(Math.floor(amount * part), currency)]),
    );
    return { price, prices, leastPrices };
  });

describe('a price that buyers choose', () => {
  it('is never less than the least one of its currency, nor one that nobody can pay, whatever the currency and the coupon', () => {
    fc.assert(
      fc.property(
        choices,
        fc.constantFrom(...currencies, 'xyz', '__proto__', 'toString'),
        fc.oneof(fc.integer(), amounts, fc.double(), fc.constantFrom(0, -0, -1, mostAmount, mostAmount + 1)),
        fc.integer({ min: 1, max: 100 }),
        (priced, currency, amount, percent) => {
          const checked = good(checkedPrices(priced));
          expect(checked).to.deep.equal({ prices: priced.prices, leastPrices: priced.leastPrices });
          const product = newProduct({ ...priced, offers: [offer('a', priced)] });
          for (const slug of ['a', undefined]) {
            const listed = offeredAs({ ...product, offers: slug === undefined ? [] : product.offers }, slug);
            const sold = listed && inCurrency(listed, currency);
            if (sold === undefined) {
              expect(currenciesOf(priced)).not.to.include(currency);
              continue;
            }
            const least = Object.entries(priced.leastPrices).find(([code]) => code === currency)?.[1];
            const suggested = sold.product.price;
            expect(choiceOf(sold)).to.deep.equal({ least, suggested });
            const chosen = atAmount(sold, amount);
            const most = currency === baseCurrency ? 999_999_999 : mostAmount;
            const isPossible =
              Number.isInteger(amount) &&
              amount >= Number(least) &&
              amount <= most &&
              payable(amount, currency) === amount;
            expect(isRefused(chosen), `${amount} ${currency}`).to.equal(!isPossible);
            if (isRefused(chosen)) {
              if (amount < Number(least)) expect(chosen.detail).to.include(shownCode(currency));
              continue;
            }
            expect(chosen).to.include({ currency, suggested });
            expect([chosen.product.price, chosen.offer?.price ?? amount]).to.deep.equal([amount, amount]);
            expect(choiceOf(chosen), 'the choice stays').to.deep.equal({ least, suggested });
            expect(isRefused(atAmount(chosen, Number(least) - 1)), 'never below it in two steps').to.equal(true);
            const left = amount - takenOff({ percent }, amount, currency);
            expect(left).to.be.within(0, amount);
          }
        },
      ),
    );
  });

  it('cannot be chosen where the seller has not said so', () => {
    const sold = offeredAs(newProduct({ price: 4_900, prices: {}, offers: [] }), undefined);
    expect(sold && choiceOf(sold)).to.equal(undefined);
    expect(sold && atAmount(sold, 4_900)).to.include({ reason: 'amount_not_possible' });
  });

  it('has a least one in each currency, not above the suggested one', () => {
    const priced = { price: 1_000, prices: { eur: 900, kwd: 300 } };
    const least = { usd: 0, eur: 900, kwd: 10 };
    expect(good(checkedPrices({ ...priced, leastPrices: least })).leastPrices).to.deep.equal(least);
    expect(good(checkedPrices({ ...priced, leastPrices: null })).leastPrices).to.equal(null);
    for (const [leastPrices, message] of [
      [{ eur: 0, kwd: 0 }, /say the least one in USD/],
      [{ usd: 0, kwd: 0 }, /say the least one in EUR/],
      [{ ...least, gbp: 1 }, /no price in GBP/],
      [{ ...least, eur: 901 }, /EUR must not be more than the price/],
      [{ ...least, usd: -1 }, /0 or more/],
      [{ ...least, usd: 0.5 }, /0 or more/],
      [{ ...least, kwd: 11 }, /third decimal/],
    ] as const) {
      expect(detailOf({ ...priced, leastPrices }), JSON.stringify(leastPrices)).to.match(message);
    }
    expect(detailOf({ price: 0, leastPrices: { usd: 0 } })).to.match(/more than 0/);
  });

  it('is for what is paid once: not for trials and subscriptions; renewals and upgrades are not free', () => {
    const leastPrices = { usd: 100 };
    const kinds = {
      once: {},
      upgrade: {},
      renewal: { updatesMonths: 12 },
      trial: { price: 0, duration: { days: 7, from: 'issue' } },
      subscription: { recurs: { months: 1, graceDays: 7, perpetualAfter: null } },
    } as const satisfies Record<OfferKind, Partial<Offer>>;
    const refused = offerKinds.filter((kind) =>
      isRefused(withOffer([], offer('a', { kind, ...kinds[kind], leastPrices }), 1)),
    );
    expect(refused).to.deep.equal(['subscription', 'trial']);
    const free = (['once', 'upgrade', 'renewal'] as const).map((kind) =>
      isRefused(withOffer([], offer('a', { kind, ...kinds[kind], leastPrices: { usd: 0 } }), 1)),
    );
    expect(free).to.deep.equal([false, true, true]);
  });

  it('is switched on and off by a change, and an offer without it keeps its form', () => {
    const [chosen] = good(withChangedOffer([offer('a')], 'a', { leastPrices: { usd: 5 } }, undefined));
    expect(chosen).to.deep.equal(offer('a', { leastPrices: { usd: 5 } }));
    expect(withChangedOffer([offer('a', { leastPrices: { usd: 5 } })], 'a', { price: 4 }, undefined)).to.include({
      reason: 'invalid_offer',
    });
    expect(
      withChangedOffer([offer('a', { leastPrices: { usd: 5 } })], 'a', { leastPrices: null }, undefined),
    ).to.deep.equal([offer('a')]);
  });

  it('makes its least one the lowest price of the product', () => {
    const offers = [offer('a', { price: 900 }), offer('b', { price: 2_000, leastPrices: { usd: 300 }, maxDomains: 7 })];
    const product = newProduct({ price: 1, offers });
    expect(priceRange(product)).to.deep.equal({ lowest: 300, highest: 2_000 });
    expect(atLowestPrice(product)).to.deep.include({ price: 2_000, leastPrices: { usd: 300 } });
    expect(priceRange({ price: 500, leastPrices: { usd: 0 }, offers: [] })).to.deep.equal({ lowest: 0, highest: 500 });
  });
});
