import { randomUUID } from 'node:crypto';
import { ContainerModule } from 'inversify';
import { createMemoryAccountStore } from '../../../adapters/memory/account-store.ts';
import { createMemoryAuditLog } from '../../../adapters/memory/audit-log.ts';
import { createMemoryDatabase } from '../../../adapters/memory/database.ts';
import { createMemoryDeploymentLog } from '../../../adapters/memory/deployment-log.ts';
import { createMemoryFileLedger } from '../../../adapters/memory/file-ledger.ts';
import { createMemoryFileReferences } from '../../../adapters/memory/file-references.ts';
import { createMemoryIdempotencyStore } from '../../../adapters/memory/idempotency-store.ts';
import { createMemoryLicenseImports } from '../../../adapters/memory/license-imports.ts';
import { createMemoryLicenseStore } from '../../../adapters/memory/license-store.ts';
import { createMemoryProductStore } from '../../../adapters/memory/product-store.ts';
import { createMemoryPurchaseLedger } from '../../../adapters/memory/purchase-ledger.ts';
import { createMemoryTemplateStore } from '../../../adapters/memory/template-store.ts';
import { createMemoryUploadLog } from '../../../adapters/memory/upload-log.ts';
import { createSigner } from '../../../adapters/node/signer.ts';
import { t } from '../tokens.ts';

/** Stores that live as long as the process. */
export const memory = new ContainerModule(({ bind }) => {
  bind(t.memory).toResolvedValue(createMemoryDatabase);
  bind(t.licenseStore).toResolvedValue(createMemoryLicenseStore, [t.memory]);
  bind(t.licenseImports).toResolvedValue(createMemoryLicenseImports, [t.memory]);
  bind(t.accountStore).toResolvedValue(createMemoryAccountStore, [t.memory]);
  bind(t.productStore).toResolvedValue(createMemoryProductStore, [t.memory]);
  bind(t.auditLog).toResolvedValue(createMemoryAuditLog, [t.memory]);
  bind(t.templateStore).toResolvedValue(createMemoryTemplateStore, [t.memory]);
  bind(t.purchaseLedger).toResolvedValue(createMemoryPurchaseLedger, [t.memory]);
  bind(t.uploadLog).toResolvedValue(createMemoryUploadLog, [t.memory]);
  bind(t.deploymentLog).toResolvedValue(createMemoryDeploymentLog, [t.memory]);
  bind(t.fileLedger).toResolvedValue(createMemoryFileLedger, [t.memory]);
  bind(t.fileReferences).toResolvedValue(createMemoryFileReferences, [t.memory]);
  bind(t.idempotencyStore).toResolvedValue(createMemoryIdempotencyStore, [t.memory]);
  bind(t.counterArchive).toConstantValue({ load: async () => [], save: async () => undefined });
  bind(t.signer).toResolvedValue((config) => createSigner(config.SECRET_KEY || randomUUID()), [t.config]);
  bind(t.databaseChecks).toConstantValue({});
  bind(t.databaseWarnings).toConstantValue({});
});
