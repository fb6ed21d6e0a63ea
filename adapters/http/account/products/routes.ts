import type { Route } from '../../route.ts';
import { listProducts } from './list-products.ts';
import { changeProduct, getProduct } from './one-product.ts';
import type { ProductTools } from './product-tools.ts';
import { transitionRoutes } from './transitions.ts';
import { addVersion, downloadProduct, listVersions, setThumbnail } from './versions.ts';

/** In the order of the API reference. */
export function productRoutes(tools: ProductTools): Route[] {
  const routes = [listProducts, getProduct, changeProduct, listVersions, addVersion, setThumbnail, downloadProduct];
  return [...routes.map((route) => route(tools)), ...transitionRoutes(tools)];
}
