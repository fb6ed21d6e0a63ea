import { baseCurrency } from '../currency.ts';
import type { ProductId } from '../id.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { inCurrency, listedOffers, type OfferedAs, soldBy } from './offers.ts';
import { choiceOf } from './price-choice.ts';
import type { Product } from './product.ts';

/** A product that a bundle contains. `offer`: the slug of the offer whose terms its license gets, or `null` for its own terms. */
export interface BundledProduct {
  readonly productId: ProductId;
  readonly offer: string | null;
}

/** How many products a bundle contains. `ofAccount`: how many products without files an account has. Files have their own quota. */
export const bundleLimits = { least: 2, most: 20, ofAccount: 500 } as const;

/** Returns a bundle that a product can have, or a refusal that says what is wrong. `products` are those that it names. */
export function checkedBundle(
  product: Pick<Product, 'ownerId' | 'isLive' | 'zip' | 'templateId' | 'offers'> & Partial<Pick<Product, 'id'>>,
  bundle: readonly BundledProduct[],
  products: readonly Product[],
): readonly BundledProduct[] | Refused<'invalid_bundle'> {
  const wrong = (detail: string) => refuse('invalid_bundle', detail);
  const { least, most } = bundleLimits;
  if (product.zip !== null || product.templateId !== null) {
    return wrong('A bundle has no files of its own. Make a new product without a zip for it.');
  }
  if (product.offers.some(({ kind }) => kind !== 'once')) {
    return wrong('A bundle is paid once. Remove its subscriptions, trials, renewals and upgrades first.');
  }
  if (bundle.length < least || bundle.length > most) {
    return wrong(`A bundle contains ${least} to ${most} products.`);
  }
  if (new Set(bundle.map(({ productId }) => productId)).size < bundle.length) {
    return wrong('A bundle contains each product once.');
  }
  if (bundle.some(({ productId }) => productId === product.id)) return wrong('A bundle does not contain itself.');
  const isOwn = (one: Product) => one.ownerId === product.ownerId && one.isLive === product.isLive;
  const own = products.filter(isOwn);
  const stranger = bundle.find(({ productId }) => !own.some(({ id }) => id === productId));
  if (stranger !== undefined) return wrong(`Its seller has no product with the id ${stranger.productId}.`);
  const contents = contentsOf(bundle, own);
  return isRefused(contents) ? wrong(contents.detail ?? '') : bundle;
}

/**
 * Returns the products of a bundle as it sells them, in its order, with the prices that they have alone. Refuses if one of them
 * cannot be sold now: then the whole bundle cannot.
 */
export function contentsOf(
  bundle: readonly BundledProduct[],
  products: readonly Product[],
): readonly OfferedAs<Product>[] | Refused<'bundle_unavailable'> {
  const contents: OfferedAs<Product>[] = [];
  for (const item of bundle) {
    const content = contentOf(item, products);
    if (isRefused(content)) return content;
    contents.push(content);
  }
  return contents;
}

/** Refuses licenses of a bundle: it has none of its own, and its terms mean nothing. */
export function refusingLicenses({ bundle }: Pick<Product, 'bundle'>): Refused<'bundle_without_licenses'> | undefined {
  if (bundle === null) return undefined;
  return refuse('bundle_without_licenses', 'A bundle has no licenses of its own. Issue them for its products.');
}

/** Returns the products of a bundle that can be sold now, as it sells them, in its order. None if it is no bundle. */
export function sellableIn(
  { bundle }: Pick<Product, 'bundle'>,
  products: readonly Product[],
): readonly OfferedAs<Product>[] {
  const contents = (bundle ?? []).map((item) => contentOf(item, products));
  return contents.flatMap((content) => (isRefused(content) ? [] : [content]));
}

/** Returns one product of a bundle as it sells it, or why it cannot be sold now. `products` has it, if it exists. */
export function contentOf(
  { productId, offer: slug }: BundledProduct,
  products: readonly Product[],
): OfferedAs<Product> | Refused<'bundle_unavailable'> {
  const product = products.find(({ id }) => id === productId);
  if (product === undefined) return unavailable(`There is no product with the id ${productId} any more.`);
  const { title, archivedAt, status, offers, bundle } = product;
  if (archivedAt !== null) return unavailable(`“${title}” is archived.`);
  if (status !== 'published') return unavailable(`“${title}” is not published.`);
  if (bundle !== null) return unavailable(`“${title}” is a bundle itself.`);
  if (slug === null) return { product, offer: null, currency: baseCurrency };
  const offer = offers.find((one) => one.slug === slug);
  if (offer === undefined) return unavailable(`“${title}” has no offer ${slug} any more.`);
  if (offer.kind !== 'once') return unavailable(`The offer ${slug} of “${title}” is not paid once.`);
  return soldBy(product, offer);
}

function unavailable(detail: string): Refused<'bundle_unavailable'> {
  return refuse('bundle_unavailable', detail);
}

/** Whether everybody can buy a product of a bundle alone at its price. Not if buyers choose the price. */
export function isSoldAlone(content: OfferedAs<Product>): boolean {
  const { product, offer } = content;
  const listed = listedOffers(product);
  const isListed = offer === null ? listed.length === 0 : listed.some(({ slug }) => slug === offer.slug);
  return isListed && choiceOf(content) === undefined;
}

/** What a buyer of a bundle saves. `alone`: what its products cost if they are bought one by one. */
interface Saving {
  readonly alone: number;
  readonly saved: number;
}

/**
 * Returns what a buyer saves who pays this price for a bundle. `undefined` if that is nothing, or if not all of its products are
 * sold alone in this currency: then nobody could pay the sum of their prices.
 */
export function savingOf(contents: readonly OfferedAs<Product>[], price: number, currency: string): Saving | undefined {
  let alone = 0;
  for (const content of contents) {
    const sold = inCurrency(content, currency);
    if (sold === undefined || !isSoldAlone(sold)) return undefined;
    alone += sold.product.price;
  }
  return alone > price ? { alone, saved: alone - price } : undefined;
}
