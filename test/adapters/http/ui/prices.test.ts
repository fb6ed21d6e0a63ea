import { expect } from 'chai';
import fc from 'fast-check';
import { moneyOf, parseMoney, priceOf, readableUsdc, readPrice } from '../../../../adapters/http/ui/prices.ts';
import { currencies, formatAmount, mostAmount } from '../../../../core/currency.ts';
import { itLong } from '../../../support/required-service.ts';

describe('prices that people type', () => {
  const dollars: readonly (readonly [typed: string, cents: number | undefined])[] = [
    ['49', 4900],
    ['49.9', 4990],
    ['49.90', 4990],
    ['49,90', 4990],
    ['$49', 4900],
    ['$ 49.90', 4990],
    ['49 $', 4900],
    ['USD 49', 4900],
    ['49,90 usd', 4990],
    ['  1250 ', 125_000],
    ['1,250', 125_000],
    ['12,500.00', 1_250_000],
    ['$12,500.00', 1_250_000],
    ['12.500,00', 1_250_000],
    ['12 500,00', 1_250_000],
    ['1,234,567.89', 123_456_789],
    // One or one thousand?
    ['1.250', undefined],
    ['49.999', undefined],
    ['1,25,000', undefined],
    ['1,250,00', undefined],
    ['-49', undefined],
    ['49 EUR', undefined],
    ['$', undefined],
    ['', undefined],
    ['free', undefined],
    ['1e3', undefined],
  ];
  for (const [typed, cents] of dollars) {
    it(`“${typed}” is ${cents === undefined ? 'no price' : `${cents} cents`}`, () => {
      expect(readPrice(typed)).to.equal(cents);
    });
  }

  it('are read in the digits and with the sign of their currency', () => {
    expect(parseMoney('€49,90', 'eur')).to.equal(4990);
    expect(parseMoney('49 EUR', 'eur')).to.equal(4900);
    expect(parseMoney('¥1,250', 'jpy')).to.equal(1250);
    expect(parseMoney('49.90', 'jpy')).to.equal(undefined);
    expect(parseMoney('1.250', 'kwd')).to.equal(1250);
  });

  itLong('can be typed as they are shown', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), (cents) => {
        expect(readPrice(priceOf(cents, 'usd'))).to.equal(cents);
      }),
    );
    for (const currency of currencies) {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: mostAmount }), (amount) => {
          expect(parseMoney(moneyOf(amount, currency), currency), currency).to.equal(amount);
          expect(parseMoney(formatAmount(amount, currency), currency), currency).to.equal(amount);
        }),
        { numRuns: 20 },
      );
    }
  });

  it('are shown with thousands and cents', () => {
    expect([0, 4900, 1_250_000].map((cents) => priceOf(cents, 'usd'))).to.deep.equal(['Free', '$49.00', '$12,500.00']);
  });

  it('in USDC are shown with thousands, and with millionths only if there are parts of a cent', () => {
    const amounts = [0, 1, 49_001_234, 12_345_000_000, 99_999_900_010_000, Number.MAX_SAFE_INTEGER];
    expect(amounts.map(readableUsdc)).to.deep.equal([
      ...['0.00', '0.000001', '49.001234', '12,345.00', '99,999,900.01', '9,007,199,254.740991'],
    ]);
  });
});
