import type { ComponentChildren, VNode } from 'preact';
import { type KeyMode, keyModes } from '../../../../core/accounts/api-key.ts';
import type { KeyedRequest } from '../../../../core/events/event.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import type { Seller } from '../../../../core/selling/seller.ts';
import { Failure } from '../../failures.ts';
import { AreaPage, type areas } from '../../ui/area-page.tsx';
import type { Asset } from '../../ui/assets.ts';
import type { Options } from '../../ui/form.tsx';
import { actorWith, type SignedInVisit } from './page.ts';

/* The pages for sellers. Each address says whether it shows live or test data: `/selling/:mode/…`. */

/** The mode in the path. */
export function modeIn({ params }: Pick<SignedInVisit, 'params'>): KeyMode {
  const mode = keyModes.find((one) => one === params.mode);
  if (mode === undefined) throw new Failure('not_found');
  return mode;
}

/** The signed-in person as seller of the data that the page shows, with the reason that was typed. */
export function sellerIn(visit: SignedInVisit, reason = '', request?: KeyedRequest): Seller {
  return { actor: actorWith(visit, reason, request), mode: modeIn(visit) };
}

/** A path below the pages of this mode, from the site's first page, such as `selling/live/products/31`. */
export function sellingPath(visit: Pick<SignedInVisit, 'params'>, rest: string): string {
  return `selling/${modeIn(visit)}/${rest}`;
}

/** A page for sellers. See `AreaPage`. */
export function SellingPage({
  visit,
  at,
  ...more
}: {
  readonly visit: SignedInVisit;
  readonly at: keyof (typeof areas)['selling'];
  readonly title?: string;
  readonly isBelow?: boolean;
  readonly above?: readonly { readonly href: string; readonly title: string }[];
  readonly scripts?: readonly Asset[];
  readonly head?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return <AreaPage frame={visit.frame} place={{ area: 'selling', at }} mode={modeIn(visit)} {...more} />;
}

type Products = Pick<SellerProducts, 'list'>;

const allProducts = 'All products';
/** More products than this are not offered in a list. Then the slug is typed. */
const mostOffered = 50;

/** The products that the person can issue licenses for, by slug, so no bundles. `undefined` if there are too many for a list. */
export async function offeredProducts(products: Products, visit: SignedInVisit): Promise<Options | undefined> {
  const found = await listed(products, visit);
  return found?.flatMap(({ slug, title, bundle }) => (bundle === null ? [[slug, title] as const] : []));
}

/** The person's own products as choices of a filter, with the chosen product even if it belongs to somebody else. */
export async function ownProducts(
  products: Products,
  visit: SignedInVisit,
  chosen: string,
): Promise<Options | undefined> {
  const found = await listed(products, visit);
  const own = found?.filter(({ ownerId }) => ownerId === visit.me.login.id);
  if (own === undefined) return undefined;
  const options = own.map(({ slug, title }) => [slug, title] as const);
  const isListed = chosen === '' || own.some(({ slug }) => slug === chosen);
  return [['', allProducts], ...options, ...(isListed ? [] : [[chosen, chosen] as const])];
}

/** Adds the person's own products, as choices of the filter for a product, to what a list finds. */
export async function withOwnProducts<Found extends object>(
  products: Products,
  { visit, choices }: { readonly visit: SignedInVisit; readonly choices: { readonly product: string } },
  finding: Promise<Found>,
): Promise<Found & { readonly products: Options | undefined }> {
  const [found, offered] = await Promise.all([finding, ownProducts(products, visit, choices.product)]);
  return { ...found, products: offered };
}

async function listed(products: Products, visit: SignedInVisit) {
  const found = await products.list({ limit: mostOffered }, sellerIn(visit));
  return isRefused(found) || found.next !== null ? undefined : found.products;
}
