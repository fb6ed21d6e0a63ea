import type { Product } from '../marketplace/product.ts';
import { isPublic } from '../marketplace/product.ts';
import type { PaymentProvider } from '../ports/payments.ts';
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

/** The smallest price that the provider takes, in cents. Its fee would use up a smaller one. */
export const leastPrice = 50;

/** The largest price that the provider takes: it has 8 digits. */
const greatestPrice = 99_999_999;

/** The currency of all prices. */
export const currency = 'usd';

/** Returns the ways to pay for a product, the usual one first. */
export function waysToPay(
  { manual, test, provider, takesProvider }: PaymentSettings,
  { price, isLive }: Pick<Product, 'price' | 'isLive'>,
): Provider[] {
  if (price === 0) return ['free'];
  const ways: Provider[] = [];
  if (takesProvider && provider?.isLive === isLive && price >= leastPrice && price <= greatestPrice)
    ways.push(provider.name);
  if (takesPlayMoney(test, isLive)) ways.push('test');
  if (manual !== undefined) ways.push('manual');
  return ways;
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
