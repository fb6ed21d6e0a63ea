import { ContainerModule } from 'inversify';
import { createMemoryAccountStore } from '../../adapters/memory/account-store.ts';
import { createMemoryAuditLog } from '../../adapters/memory/audit-log.ts';
import { createMemoryDatabase } from '../../adapters/memory/database.ts';
import { createMemoryLicenseStore } from '../../adapters/memory/license-store.ts';
import { createMemoryProductStore } from '../../adapters/memory/product-store.ts';
import { t } from '../tokens.ts';

/** Stores that live as long as the process. */
export const memory = new ContainerModule(({ bind }) => {
  bind(t.memory).toResolvedValue(createMemoryDatabase);
  bind(t.licenseStore).toResolvedValue(createMemoryLicenseStore, [t.memory]);
  bind(t.accountStore).toResolvedValue(createMemoryAccountStore, [t.memory]);
  bind(t.productStore).toResolvedValue(createMemoryProductStore, [t.memory]);
  bind(t.auditLog).toResolvedValue(createMemoryAuditLog, [t.memory]);
  bind(t.checks).toConstantValue({});
});
