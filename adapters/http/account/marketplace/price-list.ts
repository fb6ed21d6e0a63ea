import { z } from 'zod';
import { baseCurrency, formatAmount, isCurrency, parseAmount, shownCode } from '../../../../core/currency.ts';
import { mostPrices, type Priced, type PriceList } from '../../../../core/marketplace/price-list.ts';

const about =
  'by lower-case code of ISO 4217, with the decimals of each. Their seller sets each: nothing is converted. `price` stays the one in US dollars.';
const example = { eur: '45.00', jpy: '7000' };

/** Prices in other currencies, as everybody sees them. */
export const pricesItem = z
  .record(z.string(), z.string())
  .meta({ description: `The prices in other currencies, ${about}`, example });

const isText = 'It must be a text, such as "45.00".';
const exampleLeast = { eur: '4.50', jpy: '700' };

/** Whether buyers choose the price, as everybody sees it. */
export const choiceItem = z
  .object({
    least: z.string().meta({ description: 'The least that a buyer can pay. `0.00`: nothing.', example: '5.00' }),
    suggested: z.string().meta({ description: 'The same as `price`.', example: '49.90' }),
    least_prices: z.record(z.string(), z.string()).meta({
      description: 'The least prices in the other currencies, one for each of `prices`.',
      example: exampleLeast,
    }),
  })
  .nullable()
  .meta({ description: 'If buyers choose what they pay, the least of it. Null: they pay the price.' });

/** The whole list of prices in other currencies, as sellers send it. */
export const pricesEdit = amounts('It must be an object of prices by currency.').meta({
  description: `The whole list of prices in other currencies, ${about} At most ${mostPrices}; \`{}\` removes all.`,
  example,
});

/** Amounts by currency. */
function amounts(fault: string) {
  return z.record(z.string(), z.string(isText), fault).transform((prices, context): PriceList => {
    const read = Object.entries(prices).map(([currency, text]) => {
      const amount = parseAmount(text.trim(), currency);
      if (amount !== undefined) return [currency, amount] as const;
      const code = shownCode(currency);
      const message = isCurrency(currency)
        ? `It must be an amount in ${code}, such as ${formatAmount(4_900, currency)}.`
        : `Prices in ${code} are not supported. Codes are lower case, such as eur.`;
      context.addIssue({ code: 'custom', path: [currency.slice(0, 10)], message });
      return [currency, 0] as const;
    });
    return Object.fromEntries(read);
  });
}

/** Whether buyers choose the price, as sellers send it. */
export const choiceEdit = z
  .strictObject({
    least: z
      .string(isText)
      .transform((text, context) => {
        const amount = parseAmount(text.trim(), baseCurrency);
        if (amount === undefined) context.addIssue('It must be an amount in US dollars, such as "5.00".');
        return amount ?? 0;
      })
      .meta({ description: 'In US dollars, at most the price. "0": buyers can pay nothing.', example: '5.00' }),
    least_prices: amounts('It must be an object of amounts by currency.').optional().meta({
      description: 'The least price in each of the other currencies that have a price.',
      example: exampleLeast,
    }),
  })
  .transform(({ least, least_prices }): PriceList => ({ ...least_prices, [baseCurrency]: least }))
  .nullable()
  .meta({
    description:
      'Lets buyers choose what they pay: at least `least`, and `price` is what is suggested to them. Null: they pay the price. Not for trials and subscriptions.',
  });

/** Renders a list of prices. */
export function renderPrices(prices: PriceList | null | undefined): Record<string, string> {
  const listed = Object.entries(prices ?? {});
  return Object.fromEntries(listed.map(([currency, amount]) => [currency, formatAmount(amount, currency)]));
}

/** Renders whether buyers choose the price. */
export function renderChoice({ price, leastPrices }: Priced): z.output<typeof choiceItem> {
  if (leastPrices == null) return null;
  const { [baseCurrency]: least = 0, ...others } = leastPrices;
  return {
    least: formatAmount(least, baseCurrency),
    suggested: formatAmount(price, baseCurrency),
    least_prices: renderPrices(others),
  };
}
