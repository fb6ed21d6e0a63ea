import { baseCurrency, formatAmount, shownCode } from '../currency.ts';
import type { Product } from '../marketplace/product.ts';
import { isPublic } from '../marketplace/product.ts';
import type { PaymentProvider } from '../ports/payments.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Provider } from './order.ts';

/** The ways to pay that are set up. They can change at any time, so each use reads them anew. */
export interface PaymentSettings {
  /** How buyers pay, in the operator's words. `undefined`: nobody records payments by hand. */
  readonly manual: { readonly instructions: string } | undefined;
  /** The local page for play money: for test-mode products only, or for all products on a demo. */
  readonly test: 'test products' | 'all products' | undefined;
  /** The provider outside of this service. It goes on with its orders also while it takes no new ones. */
  readonly provider: PaymentProvider | undefined;
  /** Whether new orders can be paid through the provider. */
  readonly takesProvider: boolean;
}

/** What is to be paid, in the smallest unit of the currency. */
interface Asked extends Pick<Product, 'price' | 'isLive'> {
  readonly currency: string;
  /** Whether the seller has a wallet for USDC. See `UsdcWay`. */
  readonly takesUsdc: boolean;
}

/** A price in the base currency that every way to pay takes. */
export const usualPrice = 4_900;

/** Returns the ways to pay for a product, the usual one first. */
export function waysToPay(
  { manual, test, provider, takesProvider }: PaymentSettings,
  { price, currency, isLive, takesUsdc }: Asked,
): Provider[] {
  if (price === 0) return ['free'];
  const ways: Provider[] = [];
  if (takesProvider && provider?.isLive === isLive && provider.takes(price, currency)) ways.push(provider.name);
  if (takesPlayMoney(test, isLive)) ways.push('test');
  // A dollar is a dollar: other currencies would need a rate.
  if (takesUsdc && currency === baseCurrency) ways.push('usdc');
  if (manual !== undefined) ways.push('manual');
  return ways;
}

/**
 * Returns those of the ways to pay that take all payments of a subscription. Payments of nothing go any way, because the provider
 * of the others carries them.
 */
export function waysToSubscribe(
  settings: PaymentSettings,
  ways: readonly Provider[],
  { prices, ...asked }: Omit<Asked, 'price'> & { readonly prices: readonly number[] },
): Provider[] {
  const paid = prices.filter((price) => price > 0).map((price) => waysToPay(settings, { ...asked, price }));
  return ways.filter((way) => paid.every((taken) => taken.includes(way)));
}

/** Says that a buyer has chosen an amount that no way to pay takes. */
export function uncollectable(amount: number, currency: string): Refused<'amount_not_possible'> {
  const text = `${formatAmount(amount, currency)} ${shownCode(currency)}`;
  return refuse('amount_not_possible', `No way to pay takes ${text} here. Choose another amount.`);
}

/** Whether play money pays for products of this mode. */
export function takesPlayMoney(test: PaymentSettings['test'], isLive: boolean): boolean {
  return test === 'all products' || (test !== undefined && !isLive);
}

/** Whether a product can be bought now: by everybody, or if it is in test mode, by those who may manage it. */
export function isForSale(product: Product, isManaged: boolean): boolean {
  if (product.archivedAt !== null) return false;
  return isPublic(product) || (!product.isLive && product.status === 'published' && isManaged);
}
