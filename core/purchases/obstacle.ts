import { baseCurrency } from '../currency.ts';
import { listedOffers } from '../marketplace/offers.ts';
import { currenciesOf, leastOf, type Priced, priceIn } from '../marketplace/price-list.ts';
import type { Product } from '../marketplace/product.ts';
import { usualPrice } from './ways-to-pay.ts';

/**
 * Why nobody can buy a product: no way to pay takes its price, its seller is suspended, the site has no way to pay, or a product
 * in the bundle cannot be sold.
 */
export type NoSale = 'price' | 'seller' | 'site' | 'bundle';

/** Whether one of the prices of a product can be paid. If none can, whether a usual one could. */
export function obstacleTo(product: Product, canPay: (price: number, currency: string) => boolean): NoSale | undefined {
  const listed: readonly Priced[] = listedOffers(product);
  const isPayable = (one: Priced) =>
    canPay(leastOf(one), baseCurrency) ||
    currenciesOf(one).some((currency) => canPay(priceIn(one, currency) ?? 0, currency));
  if ((listed.length === 0 ? [product] : listed).some(isPayable)) return undefined;
  return canPay(usualPrice, baseCurrency) ? 'price' : 'site';
}
