import { ContainerModule } from 'inversify';
import { createOnce } from '../../../adapters/http/dashboard/once.ts';
import { licensePages } from '../../../adapters/http/dashboard/selling/licenses/license-pages.ts';
import { t } from '../tokens.ts';

/** The pages about licenses, for sellers and administrators. */
export const sellingLicenses = new ContainerModule(({ bind }) => {
  bind(t.sellingLicensePages).toResolvedValue(
    (tools, licenses, domains, usage, products, accounts, sheets, store, clock) =>
      licensePages(tools, {
        licenses,
        domains,
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
      t.sellingUsage,
      t.sellerProducts,
      t.accounts,
      t.sheetTools,
      t.idempotencyStore,
      t.clock,
    ],
  );
});
