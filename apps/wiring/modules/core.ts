import { ContainerModule } from 'inversify';
import { createAccounts } from '../../../core/accounts/accounts.ts';
import { createUserAdministration } from '../../../core/accounts/administration.ts';
import { createDeployments } from '../../../core/deployments/deployments.ts';
import { createIssuing } from '../../../core/licensing/issuing.ts';
import { createLicensing } from '../../../core/licensing/licensing.ts';
import { createMarketplace, createMarketplaceAdministration } from '../../../core/marketplace/marketplace.ts';
import { createWithdrawals } from '../../../core/marketplace/withdrawals.ts';
import { createTemplateAdministration, createTemplates } from '../../../core/templates/templates.ts';
import { keepWithdrawing } from '../keep-withdrawing.ts';
import { t } from '../tokens.ts';

/** Makes the use cases from the bound adapters. */
export const core = new ContainerModule(({ bind }) => {
  bind(t.licensing).toResolvedValue(createLicensing, [t.licenseStore, t.clock]);
  bind(t.issuing).toResolvedValue(createIssuing, [t.licenseStore, t.licenseImports, t.clock, t.secrets]);
  bind(t.accounts).toResolvedValue(
    (store, clock, secrets, config) => createAccounts(store, clock, secrets, config.API_KEY_PREFIX),
    [t.accountStore, t.clock, t.secrets, t.config],
  );
  bind(t.userAdministration).toResolvedValue(createUserAdministration, [t.accountStore, t.accounts, t.clock]);
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
  bind(t.marketplace).toResolvedValue(
    (store, uploads, files, ledger, withdrawals, clock, secrets, config) =>
      createMarketplace(store, uploads, files, ledger, withdrawals, clock, secrets, loadTransliterate, {
        free: config.STORAGE_FREE,
        pro: config.STORAGE_PRO,
        enterprise: config.STORAGE_ENTERPRISE,
      }),
    [t.productStore, t.uploadLog, t.files, t.fileLedger, t.withdrawals, t.clock, t.secrets, t.config],
  );
  bind(t.products).toResolvedValue(
    (store, clock) => createMarketplaceAdministration(store, clock, loadTransliterate),
    [t.productStore, t.clock],
  );
  bind(t.deployments).toResolvedValue(createDeployments, [t.deploymentLog, t.templateStore, t.clock]);
});

const loadTransliterate = async () => (await import('@sindresorhus/transliterate')).default;
