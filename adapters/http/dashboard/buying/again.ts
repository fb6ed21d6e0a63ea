import type { OfferedAs } from '../../../../core/marketplace/offers.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { isSameOffer } from '../../../../core/purchases/instead.ts';
import { agreedOffer } from '../../../../core/purchases/new-order.ts';
import type { Order, Provider } from '../../../../core/purchases/order.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { DashboardTools, Visit } from '../kit/page.ts';
import type { BuyingTools } from './frame.tsx';

/**
 * The same order, if this browser has begun it and nobody has paid it yet: somebody went back and sent the form again. Only the
 * browser's own cookie leads to it, because the page of an order is for its buyer alone.
 */
export async function openOrderIn(
  { cookies }: DashboardTools,
  { purchases }: Pick<BuyingTools, 'purchases'>,
  { ctx, me }: Visit,
  { product, offer }: OfferedAs<Product>,
  { email, name, way }: { readonly email: string; readonly name: string | null; readonly way: Provider | undefined },
): Promise<Order | undefined> {
  const order = await purchases.find(cookies.get(ctx, 'order') ?? '');
  if (order?.state !== 'open' || order.productId !== product.id || (way ?? order.provider) !== order.provider) {
    return undefined;
  }
  const { agreed, buyer } = order;
  const isSameBuyer = buyer.email === email && buyer.name === name && buyer.userId === (me?.login.id ?? null);
  return isSameBuyer && isSameOffer(agreed, { ...product, offer: agreedOffer(offer) }) ? order : undefined;
}

/** The most orders that one form makes after each other. */
const mostOfForm = 20;

/**
 * Does the work of the form once. If the order that it made is cancelled, because its buyer then chose another way to pay,
 * the same form makes another one.
 */
export async function replayUnlessCancelled<
  Done extends { readonly token: string } | { readonly sent: string },
  R extends string,
>(
  { replay, purchases }: BuyingTools,
  id: string,
  content: object,
  work: () => Promise<Done | Refused<R>>,
): Promise<Done | Refused<R | 'in_flight'>> {
  for (const after: string[] = []; ; ) {
    const begun = await replay(id, after.length === 0 ? content : { ...content, after }, work);
    if (isRefused(begun) || 'sent' in begun || after.length === mostOfForm) return begun;
    if ((await purchases.find(begun.token))?.state !== 'cancelled') return begun;
    after.push(begun.token);
  }
}
