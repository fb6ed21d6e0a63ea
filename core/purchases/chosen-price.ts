import type { OfferedAs } from '../marketplace/offers.ts';
import { atAmount, choiceOf } from '../marketplace/price-choice.ts';
import type { Product } from '../marketplace/product.ts';
import { isRefused, type Refused } from '../refusal.ts';
import type { Provider } from './order.ts';
import { type PaymentSettings, uncollectable, waysToPay } from './ways-to-pay.ts';

/** Returns what is sold at the amount that its buyer has chosen; without one, at a price that can be paid. */
export function pricedAt(
  listed: OfferedAs<Product>,
  amount: number | undefined,
  canPay: (price: number) => boolean,
): OfferedAs<Product> | Refused<'amount_not_possible'> {
  const choice = choiceOf(listed);
  if (choice === undefined) return amount === undefined ? listed : atAmount(listed, amount);
  const { least, suggested } = choice;
  const usual = [suggested, least].find(canPay);
  const chosen = atAmount(listed, amount ?? usual ?? suggested);
  if (isRefused(chosen) || usual === undefined || canPay(chosen.product.price)) return chosen;
  return uncollectable(chosen.product.price, chosen.currency);
}

/** Returns what is offered at the amount that its buyer has chosen, with the ways to pay it. */
export function offeredAt<
  O extends OfferedAs<Product> & { readonly ways: readonly Provider[]; readonly takesUsdc: boolean },
>(offered: O, amount: number, settings: PaymentSettings): O | Refused<'amount_not_possible'> {
  const { product, currency, ways, takesUsdc } = offered;
  const waysFor = (price: number) => waysToPay(settings, { ...product, price, currency, takesUsdc });
  const sold = pricedAt(offered, amount, (price) => waysFor(price).length > 0);
  return isRefused(sold) ? sold : { ...offered, ...sold, ways: ways.length === 0 ? [] : waysFor(sold.product.price) };
}
