import type { ContainerModuleLoadOptions } from 'inversify';
import { moderationPages } from '../../../adapters/http/dashboard/moderation/moderation-pages.ts';
import { createOnce } from '../../../adapters/http/dashboard/once.ts';
import { overviewPages } from '../../../adapters/http/dashboard/selling/overview/overview.tsx';
import { sellerProductPages } from '../../../adapters/http/dashboard/selling/products/product-pages.ts';
import type { Endpoint } from '../../../adapters/http/surface.ts';
import { t, token } from '../tokens.ts';

/** The overview of sellers, and the pages about products, for sellers and for moderators. */
export const productPages = token<Endpoint[]>('productPages');

export function bindProductPages(bind: ContainerModuleLoadOptions['bind']): void {
  bind(productPages).toResolvedValue(
    (
      config,
      tools,
      overview,
      products,
      usage,
      marketplace,
      accounts,
      addresses,
      store,
      clock,
      administration,
      contents,
      templates,
      orders,
    ): Endpoint[] => {
      const shared = { products, accounts, addresses, templates, baseUrl: config.BASE_URL };
      return [
        ...overviewPages(tools, overview, orders),
        ...sellerProductPages(tools, { ...shared, usage, marketplace, once: createOnce(store, clock) }),
        ...moderationPages(tools, { ...shared, administration, contents }),
      ];
    },
    [
      t.config,
      t.dashboardTools,
      t.sellerOverview,
      t.sellerProducts,
      t.sellingUsage,
      t.marketplace,
      t.accounts,
      t.addresses,
      t.idempotencyStore,
      t.clock,
      t.products,
      t.showContents,
      t.productTemplates,
      t.orderList,
    ],
  );
}
