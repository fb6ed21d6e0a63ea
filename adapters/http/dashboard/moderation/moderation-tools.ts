import type { Accounts } from '../../../../core/accounts/accounts.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { UserId } from '../../../../core/id.ts';
import type { MarketplaceAdministration } from '../../../../core/marketplace/administration.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { ProductTemplates } from '../../../../core/marketplace/product-template.ts';
import type { ShowContents } from '../../../../core/marketplace/show-contents.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import type { Addresses } from '../../addresses.ts';
import { orFail } from '../or-fail.ts';
import { actorOf } from '../page.ts';
import type { SignedInVisit } from '../visit.ts';

/** The dependencies of the pages for moderators. */
export interface ModerationTools {
  readonly products: Pick<SellerProducts, 'list' | 'download'>;
  readonly administration: Pick<MarketplaceAdministration, 'find' | 'list' | 'change'>;
  readonly contents: ShowContents;
  readonly templates: ProductTemplates;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly addresses: Addresses;
  /** The public address of the site. */
  readonly baseUrl: string;
}

export const allProducts = 'admin/products';
export const queue = 'admin/moderation';

/** The product in the path. */
export async function productIn(
  { administration }: Pick<ModerationTools, 'administration'>,
  visit: SignedInVisit,
): Promise<Product> {
  return orFail(await administration.find(visit.params.id ?? '', actorOf(visit)));
}

/** The path of a product for moderators, from the site's first page. */
export function pathOf({ id }: Pick<Product, 'id'>): string {
  return `${allProducts}/${id}`;
}

/** The owners of products, by id. */
export async function ownersOf(
  products: readonly Product[],
  { accounts }: Pick<ModerationTools, 'accounts'>,
): Promise<ReadonlyMap<UserId, User>> {
  const ids = [...new Set(products.flatMap(({ ownerId }) => (ownerId === null ? [] : [ownerId])))];
  const found = await Promise.all(ids.map((id) => accounts.find(String(id))));
  return new Map(found.flatMap((user) => (isRefused(user) ? [] : [[user.id, user] as const])));
}
