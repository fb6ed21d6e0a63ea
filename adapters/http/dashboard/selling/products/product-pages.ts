import type { Endpoint } from '../../../surface.ts';
import type { DashboardTools } from '../../tools.ts';
import { productActs } from './acts.tsx';
import { editProductPages } from './edit-product.tsx';
import { newProductPages } from './new-product.tsx';
import { previewEndpoint } from './preview.tsx';
import { productListPage } from './product-list.tsx';
import { downloadEndpoint, productPage } from './product-page.tsx';
import type { ProductTools } from './product-tools.ts';
import { newVersionPages } from './versions.tsx';

/** The pages of sellers about their products. If two paths match a request, the first one answers it. */
export function sellerProductPages(tools: DashboardTools, own: ProductTools): Endpoint[] {
  return [
    productListPage(tools, own),
    ...newProductPages(tools, own),
    previewEndpoint(tools, own),
    productPage(tools, own),
    downloadEndpoint(tools, own),
    ...editProductPages(tools, own),
    ...newVersionPages(tools, own),
    ...productActs(tools, own),
  ];
}
