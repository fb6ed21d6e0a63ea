import { createHash } from 'node:crypto';
import type { OfferedAs } from '../../../../core/marketplace/offers.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { Discount } from '../../../../core/purchases/coupon.ts';
import { listPriceOf } from '../../../../core/purchases/discounted.ts';
import { isSameOffer } from '../../../../core/purchases/instead.ts';
import { agreedOffer, inBundle, type Sold } from '../../../../core/purchases/new-order.ts';
import type { Order, Provider } from '../../../../core/purchases/order.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import { isSame } from '../../../../core/same.ts';
import type { DashboardTools, Visit } from '../kit/page.ts';
import type { BuyingTools } from './frame.tsx';

/**
 * A digest of the price and the terms on the page, which the form sends back. A price that the buyer has typed, and nothing is
 * taken off, is no part of it.
 */
export function digestOf(
  sold: Sold & { readonly discount?: Discount | undefined; readonly credit?: number | undefined },
): string {
  const { product, offer, currency, contents, discount } = sold;
  const { terms } = product;
  const price = isAsTyped(sold) ? 'typed' : product.price;
  const inside = contents?.map(({ product, offer }) => [product.id, product.terms, agreedOffer(offer)]);
  const shown = JSON.stringify([
    ...[price, currency, terms, agreedOffer(offer)],
    ...(inside ?? []),
    ...(discount ? [discount] : []),
  ]);
  return createHash('sha256').update(shown).digest('base64url').slice(0, 12);
}

/** Whether the buyer has chosen the amount that is to be paid, and nothing is taken off it. */
export function isAsTyped({
  suggested,
  discount,
  credit = 0,
}: Pick<Sold, 'suggested'> & {
  readonly discount?: Discount | undefined;
  readonly credit?: number | undefined;
}): boolean {
  return suggested !== undefined && discount === undefined && credit === 0;
}

/** So many orders of a browser are remembered: somebody may look at another product and come back. */
const mostRemembered = 5;

/** The tokens of the last orders that were begun in this browser, the newest first. */
function tokensIn({ cookies }: DashboardTools, { ctx }: Visit): readonly string[] {
  return (cookies.get(ctx, 'order') ?? '')
    .split('.')
    .filter((token) => token !== '')
    .slice(0, mostRemembered);
}

export function rememberOrder(tools: DashboardTools, visit: Visit, token: string): void {
  const others = tokensIn(tools, visit).filter((one) => one !== token);
  tools.cookies.set(visit.ctx, 'order', [token, ...others].slice(0, mostRemembered).join('.'));
}

/**
 * The order of what is offered now, of a bundle also with the same terms of each product, that this browser has begun and that
 * nobody has paid yet. Only the browser's own cookie leads to it, because the page of an order is for its buyer alone.
 */
export async function openOrderIn(
  tools: DashboardTools,
  { purchases }: Pick<BuyingTools, 'purchases'>,
  visit: Visit,
  { product, offer, currency, suggested, contents }: Sold,
): Promise<Order | undefined> {
  const { price, version, terms } = product;
  const bundle = inBundle(price, currency, contents);
  const chosen = { price, ...(suggested !== undefined && { suggested }) };
  const now = { ...chosen, currency, version, terms, offer: agreedOffer(offer), ...bundle };
  const open = (await openOrdersIn(tools, purchases, visit)).find(
    ({ productId, renews, agreed }) => productId === product.id && renews === null && isSameOffer(agreed, now),
  );
  if (open === undefined || contents === undefined) return open;
  const parts = await purchases.partsOf([open]);
  const isSamePart = ({ product: { id, terms, version }, offer }: OfferedAs<Product>) =>
    parts.some(
      ({ productId, agreed }) =>
        productId === id &&
        agreed.version === version &&
        isSame(agreed.terms, terms) &&
        isSame(agreed.offer, agreedOffer(offer)),
    );
  return contents.every(isSamePart) ? open : undefined;
}

/** The order of this browser, not paid yet, that changes the same license by the same offer. */
export async function openRenewalIn(
  tools: DashboardTools,
  { purchases }: Pick<BuyingTools, 'purchases'>,
  visit: Visit,
  { licenseKey }: Pick<Order, 'licenseKey'>,
  { offer }: Pick<OfferedAs<Product>, 'offer'>,
): Promise<Order | undefined> {
  return (await openOrdersIn(tools, purchases, visit)).find(
    ({ renews, agreed }) => renews !== null && renews === licenseKey && agreed.offer?.slug === offer?.slug,
  );
}

async function openOrdersIn(
  tools: DashboardTools,
  purchases: BuyingTools['purchases'],
  visit: Visit,
): Promise<readonly Order[]> {
  const orders = await Promise.all(tokensIn(tools, visit).map((token) => purchases.find(token)));
  return orders.flatMap((order) => (order?.state === 'open' ? [order] : []));
}

/** Whether the form wants the same order again: somebody went back and sent it without a change. */
export function isWantedAgain(
  { buyer, provider, agreed }: Order,
  { me }: Visit,
  {
    email,
    name,
    way,
    coupon,
    amount,
  }: {
    readonly email: string;
    readonly name: string | null;
    readonly way: Provider | undefined;
    readonly coupon: string | undefined;
    /** The price before a coupon. */
    readonly amount: number;
  },
): boolean {
  const isSameBuyer = buyer.email === email && buyer.name === name && buyer.userId === (me?.login.id ?? null);
  const isSamePrice = agreed.discount?.code === coupon && listPriceOf(agreed) === amount;
  return isSameBuyer && (way ?? provider) === provider && isSamePrice;
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
