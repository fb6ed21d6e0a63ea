import type { Marketplace } from '../../../../core/marketplace/marketplace.ts';
import type { Addresses } from '../../addresses.ts';
import type { AccountTools, Route } from '../../route.ts';
import { myProducts } from './my-products.ts';
import { publish } from './publish.ts';
import { upload } from './upload.ts';

/** In the order of the API reference. */
export function marketplaceRoutes(tools: AccountTools, marketplace: Marketplace, addresses: Addresses): Route[] {
  return [publish, myProducts, upload].map((route) => route(tools, marketplace, addresses));
}
