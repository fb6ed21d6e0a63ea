import { ContainerModule } from 'inversify';
import { createAccounts } from '../../core/accounts/accounts.ts';
import { createIssuing } from '../../core/licensing/issuing.ts';
import { createLicensing } from '../../core/licensing/licensing.ts';
import { createMarketplace } from '../../core/marketplace/marketplace.ts';
import { t } from '../tokens.ts';

/** The use cases, on whatever stores are bound. */
export const core = new ContainerModule(({ bind }) => {
  bind(t.licensing).toResolvedValue(createLicensing, [t.licenseStore, t.clock]);
  bind(t.issuing).toResolvedValue(createIssuing, [t.licenseStore, t.clock, t.secrets]);
  bind(t.accounts).toResolvedValue(createAccounts, [t.accountStore, t.clock]);
  bind(t.marketplace).toResolvedValue(createMarketplace, [t.productStore, t.clock]);
});
