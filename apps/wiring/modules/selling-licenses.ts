import { ContainerModule } from 'inversify';
import { createOnce } from '../../../adapters/http/dashboard/once.ts';
import { licensePages } from '../../../adapters/http/dashboard/selling/licenses/license-pages.ts';
import { orderPages } from '../../../adapters/http/dashboard/selling/orders/order-pages.ts';
import { t } from '../tokens.ts';

/** The pages about licenses and orders, for sellers and administrators. */
export const sellingLicenses = new ContainerModule(({ bind }) => {
  bind(t.sellingLicensePages).toResolvedValue(
    (tools, licenses, domains, orders, usage, products, accounts, sheets, store, clock) =>
      licensePages(tools, {
        licenses,
        domains,
        orders,
        usage,
        products,
        accounts,
        sheets,
        once: createOnce(store, clock),
      }),
    [
      t.dashboardTools,
      t.sellerLicenses,
      t.licenseDomains,
      t.orderList,
      t.sellingUsage,
      t.sellerProducts,
      t.accounts,
      t.sheetTools,
      t.idempotencyStore,
      t.clock,
    ],
  );
  bind(t.sellingOrderPages).toResolvedValue(
    (tools, orders, list, products, accounts, store, clock) =>
      orderPages(tools, { orders, list, products, accounts, once: createOnce(store, clock) }),
    [t.dashboardTools, t.orders, t.orderList, t.sellerProducts, t.accounts, t.idempotencyStore, t.clock],
  );
});
