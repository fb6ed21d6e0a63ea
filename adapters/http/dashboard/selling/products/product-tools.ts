import type { Accounts } from '../../../../../core/accounts/accounts.ts';
import type { Marketplace } from '../../../../../core/marketplace/marketplace.ts';
import type { Product } from '../../../../../core/marketplace/product.ts';
import type { ProductTemplates } from '../../../../../core/marketplace/product-template.ts';
import type { SellerProducts } from '../../../../../core/selling/products.ts';
import type { SellingUsage } from '../../../../../core/selling/usage.ts';
import type { Addresses } from '../../../addresses.ts';
import type { Once } from '../../once.ts';
import { orFail } from '../../or-fail.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn, sellingPath } from '../selling-page.tsx';

/** The dependencies of the pages about a seller's products. */
export interface ProductTools {
  readonly products: SellerProducts;
  readonly usage: SellingUsage;
  readonly marketplace: Pick<Marketplace, 'publishOffer'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly templates: Pick<ProductTemplates, 'of'>;
  readonly addresses: Addresses;
  readonly once: Once;
  /** The public address of the site. */
  readonly baseUrl: string;
}

/** The path of all pages about products, for endpoints. */
export const base = '/selling/:mode/products';

/** The product in the path. */
export async function productIn({ products }: Pick<ProductTools, 'products'>, visit: SignedInVisit): Promise<Product> {
  return orFail(await products.show(visit.params.id ?? '', sellerIn(visit)));
}

/** The path of a product's page, from the site's first page. `rest` is that of a page below it. */
export function pathOf(visit: Pick<SignedInVisit, 'params'>, { id }: Pick<Product, 'id'>, rest = ''): string {
  return sellingPath(visit, `products/${id}${rest}`);
}
