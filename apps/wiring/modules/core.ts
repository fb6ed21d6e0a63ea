import { ContainerModule } from 'inversify';
import { licenseSheet } from '../../../adapters/csv/license-sheet.ts';
import { createAccounts } from '../../../core/accounts/accounts.ts';
import { createUserAdministration } from '../../../core/accounts/administration.ts';
import { createAuditTrail } from '../../../core/administration/audit-trail.ts';
import { createDeployments } from '../../../core/deployments/deployments.ts';
import { parseHostPattern } from '../../../core/licensing/host-pattern.ts';
import { createIssuing } from '../../../core/licensing/issuing.ts';
import { createLicensing } from '../../../core/licensing/licensing.ts';
import { createMarketplaceAdministration } from '../../../core/marketplace/administration.ts';
import { createMarketplace } from '../../../core/marketplace/marketplace.ts';
import { createProductTemplates } from '../../../core/marketplace/product-template.ts';
import { createShowContents } from '../../../core/marketplace/show-contents.ts';
import { createStorefront } from '../../../core/marketplace/storefront.ts';
import { createStoring } from '../../../core/marketplace/storing.ts';
import { createTransitProduct } from '../../../core/marketplace/transit-product.ts';
import { createWithdrawals } from '../../../core/marketplace/withdrawals.ts';
import { createNotifications } from '../../../core/notifications/notifications.ts';
import { contentsOf } from '../../../core/plans/plan.ts';
import { createLicenseDomains } from '../../../core/selling/license-domains.ts';
import { createSellerLicenses } from '../../../core/selling/licenses.ts';
import { createSellerOverview } from '../../../core/selling/overview.ts';
import { createSellerProducts } from '../../../core/selling/products.ts';
import { createSheetExport } from '../../../core/selling/sheet-export.ts';
import { createSheetImports } from '../../../core/selling/sheet-import.ts';
import { createSellingUsage } from '../../../core/selling/usage.ts';
import { createTemplateAdministration } from '../../../core/templates/administration.ts';
import { createTemplates } from '../../../core/templates/templates.ts';
import { keepWithdrawing } from '../keep-withdrawing.ts';
import { t } from '../tokens.ts';

/** Makes the use cases from the bound adapters. */
export const core = new ContainerModule(({ bind }) => {
  bind(t.licensing).toResolvedValue(createLicensing, [t.licenseStore, t.clock]);
  bind(t.issuing).toResolvedValue(createIssuing, [t.licenseStore, t.licenseImports, t.clock, t.secrets]);
  bind(t.licenseDomains).toResolvedValue(createLicenseDomains, [t.licenseStore, t.clock]);
  bind(t.sellerLicenses).toResolvedValue(createSellerLicenses, [
    t.licenseStore,
    t.licenseSearch,
    t.productStore,
    t.auditLog,
    t.clock,
    t.secrets,
  ]);
  bind(t.sheetImports).toResolvedValue(
    (imports, products, clock, secrets) => createSheetImports(imports, products, licenseSheet, clock, secrets),
    [t.licenseImports, t.productStore, t.clock, t.secrets],
  );
  bind(t.sheetExport).toResolvedValue(
    (search, details, products, clock) => createSheetExport(search, details, products, licenseSheet, clock),
    [t.licenseSearch, t.licenseDetails, t.productStore, t.clock],
  );
  bind(t.accounts).toResolvedValue(
    (store, clock, secrets, config, write) => createAccounts(store, clock, secrets, config.API_KEY_PREFIX, write),
    [t.accountStore, t.clock, t.secrets, t.config, t.writeLetter],
  );
  bind(t.storageAllowance).toResolvedValue(
    ({ STORAGE_FREE: free, STORAGE_PRO: pro, STORAGE_ENTERPRISE: enterprise }) => ({ free, pro, enterprise }),
    [t.config],
  );
  bind(t.planContents).toResolvedValue((storage) => (tier) => contentsOf(tier, storage), [t.storageAllowance]);
  bind(t.userAdministration).toResolvedValue(createUserAdministration, [
    t.accountStore,
    t.accounts,
    t.userDetails,
    t.clock,
  ]);
  bind(t.auditTrail).toResolvedValue(createAuditTrail, [t.auditLog]);
  bind(t.notifications).toResolvedValue(createNotifications, [t.notificationStore, t.clock]);
  bind(t.templates).toResolvedValue(
    (store, purchases, files, clock, config) =>
      createTemplates(store, purchases, files, clock, config.DOWNLOAD_LINK_LIFETIME * 1000),
    [t.templateStore, t.purchaseCheck, t.files, t.clock, t.config],
  );
  bind(t.templateAdministration).toResolvedValue(createTemplateAdministration, [
    t.templateStore,
    t.purchaseLedger,
    t.clock,
  ]);
  bind(t.withdrawals)
    .toResolvedValue((files, ledger) => keepWithdrawing(createWithdrawals(files, ledger)), [t.files, t.fileLedger])
    .onDeactivation(({ close }) => close());
  bind(t.storing).toResolvedValue(createStoring, [t.files, t.fileLedger, t.withdrawals, t.clock, t.storageAllowance]);
  bind(t.storefront).toResolvedValue(createStorefront, [t.catalogue, t.productStore]);
  bind(t.marketplace).toResolvedValue(
    (store, uploads, storing, clock, secrets) =>
      createMarketplace(store, uploads, storing, clock, secrets, loadTransliterate, loadParsePattern),
    [t.productStore, t.uploadLog, t.storing, t.clock, t.secrets],
  );
  bind(t.transitProduct).toResolvedValue(createTransitProduct, [
    t.productStore,
    t.accountStore,
    t.clock,
    t.writeLetter,
  ]);
  bind(t.products).toResolvedValue(
    (store, clock, transit) => createMarketplaceAdministration(store, clock, loadTransliterate, transit),
    [t.productStore, t.clock, t.transitProduct],
  );
  bind(t.productTemplates).toResolvedValue(createProductTemplates, [t.productStore, t.templateStore, t.clock]);
  bind(t.showContents).toResolvedValue(createShowContents, [t.productStore, t.zipContents]);
  bind(t.sellerProducts).toResolvedValue(
    (store, accounts, files, storing, clock, secrets, config, transit) =>
      createSellerProducts(
        {
          store,
          accounts,
          files,
          storing,
          clock,
          secrets,
          review: config.REVIEW,
          linkLifetime: config.DOWNLOAD_LINK_LIFETIME * 1000,
        },
        transit,
        loadParsePattern,
      ),
    [t.productStore, t.accountStore, t.files, t.storing, t.clock, t.secrets, t.config, t.transitProduct],
  );
  bind(t.sellerOverview).toResolvedValue(createSellerOverview, [
    t.usageFigures,
    t.licenseCounts,
    t.licenseSearch,
    t.productStore,
    t.clock,
  ]);
  bind(t.sellingUsage).toResolvedValue(createSellingUsage, [t.usageFigures, t.productStore, t.licenseStore, t.clock]);
  bind(t.deployments).toResolvedValue(createDeployments, [t.deploymentLog, t.templateStore, t.clock]);
});

const loadTransliterate = async () => (await import('../../../adapters/transliterate.ts')).transliterate;
const loadParsePattern = async () => {
  const { isPublicSuffix } = await import('../../../adapters/public-suffix.ts');
  return (text: string) => parseHostPattern(text, isPublicSuffix);
};
