import { isRefused } from '../../../../../core/refusal.ts';
import type { Options } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn } from '../selling-page.tsx';
import type { LicenseTools } from './license-tools.ts';

const { sellingLicenses: words } = texts;

/** More products than this are not offered in a list. Then the slug is typed. */
const mostOffered = 50;

/** The products that the person can issue licenses for, by slug. `undefined` if there are too many for a list. */
export async function offeredProducts(
  products: LicenseTools['products'],
  visit: SignedInVisit,
): Promise<Options | undefined> {
  const found = await listed(products, visit);
  return found?.map(({ slug, title }) => [slug, title] as const);
}

/** The person's own products as choices of a filter, with the chosen product even if it belongs to somebody else. */
export async function ownProducts(
  products: LicenseTools['products'],
  visit: SignedInVisit,
  chosen: string,
): Promise<Options | undefined> {
  const found = await listed(products, visit);
  const own = found?.filter(({ ownerId }) => ownerId === visit.me.login.id);
  if (own === undefined) return undefined;
  const options = own.map(({ slug, title }) => [slug, title] as const);
  const isListed = chosen === '' || own.some(({ slug }) => slug === chosen);
  return [['', words.allProducts], ...options, ...(isListed ? [] : [[chosen, chosen] as const])];
}

async function listed(products: LicenseTools['products'], visit: SignedInVisit) {
  const found = await products.list({ limit: mostOffered }, sellerIn(visit));
  return isRefused(found) || found.next !== null ? undefined : found.products;
}
