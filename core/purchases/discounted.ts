import { stepOf } from '../currency.ts';
import type { OfferedAs } from '../marketplace/offers.ts';
import type { Product } from '../marketplace/product.ts';
import { split } from '../split.ts';
import type { Discount } from './coupon.ts';
import type { Agreed, Order } from './order.ts';
import { unpaid } from './payment.ts';
import { discountedLater } from './subscription.ts';

/** Returns a new order with what a coupon takes off its price. */
export function discounted<O extends Pick<Order, 'agreed' | 'payment'>>(made: O, discount: Discount | undefined): O {
  if (discount === undefined) return made;
  const { agreed } = made;
  const price = agreed.price - discount.amount;
  return {
    ...made,
    agreed: {
      ...agreed,
      price,
      discount,
      ...(agreed.bundle && { bundle: sharesOf(price, agreed.currency, agreed.bundle) }),
    },
    payment: unpaid(price, agreed.currency),
  };
}

/** Each product of a bundle gets its share of what the coupon takes off. */
function sharesOf(
  price: number,
  currency: string,
  bundle: NonNullable<Agreed['bundle']>,
): NonNullable<Agreed['bundle']> {
  const step = stepOf(currency);
  const shares = split(
    price / step,
    bundle.map((part) => part.price),
  );
  return bundle.map((part, index) => ({ ...part, price: (shares[index] ?? 0) * step }));
}

/** The price of an order before its coupon. */
export function listPriceOf({ price, discount }: Pick<Agreed, 'price' | 'discount'>): number {
  return price + (discount?.amount ?? 0);
}

/** What is to be paid now, and what the later payments of a subscription cost: with the discount, and without it if that ends. */
export function pricesWith(
  { product: { price }, offer }: OfferedAs<Pick<Product, 'price'>>,
  discount: Discount | undefined,
): readonly [now: number, ...later: number[]] {
  const now = price - (discount?.amount ?? 0);
  if (offer?.recurs == null) return [now];
  const later = discount === undefined ? 0 : discountedLater(discount);
  return later === 0 ? [now, price] : later === Number.POSITIVE_INFINITY ? [now, now] : [now, now, price];
}
