import type { ApiKey } from '../../core/accounts/api-key.ts';
import type { User } from '../../core/accounts/user.ts';
import type { Event } from '../../core/events/event.ts';
import type { ApiKeyId, ProductId, TemplateId, UserId } from '../../core/id.ts';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { Activation, License } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { Deployment } from '../../core/ports/deployment-log.ts';
import type { ImportLine } from '../../core/ports/license-imports.ts';
import type { NewLicense } from '../../core/ports/license-store.ts';
import type { Upload } from '../../core/ports/upload-log.ts';
import type { Template } from '../../core/templates/template.ts';
import type { KeptAnswer } from '../idempotency-store.ts';

/** The tables that the memory stores share. Nothing in them outlives the process. */
export interface MemoryDatabase {
  readonly users: Map<UserId, User>;
  readonly keys: Map<ApiKeyId, ApiKey>;
  readonly products: Map<ProductId, Product>;
  readonly templates: Map<TemplateId, Template>;
  /** `<user id>:<template id>` of each purchase. */
  readonly purchases: Set<string>;
  readonly uploads: Upload[];
  /** Keys of files that nothing refers to, and since when. */
  readonly unreferenced: Map<string, Instant>;
  /** By storage key. */
  readonly keptFiles: Map<string, { readonly userId: UserId; readonly size: number; readonly at: Instant }>;
  /** By user, mode, chain and transaction. */
  readonly deployments: Map<string, Deployment>;
  readonly idempotency: Map<string, { fingerprint: string; owner: string; takenAt: number; answer?: KeptAnswer }>;
  /** Licenses in order of issue, their domains in order of activation. */
  readonly licenses: Map<LicenseKey, { license: License; readonly domains: Map<DomainName, Activation> }>;
  /** What an import that is running has staged. */
  readonly staged: Map<LicenseKey, ImportLine>;
  readonly events: Event[];
}

export function createMemoryDatabase(): MemoryDatabase {
  return {
    users: new Map(),
    keys: new Map(),
    products: new Map(),
    templates: new Map(),
    purchases: new Set(),
    uploads: [],
    unreferenced: new Map(),
    keptFiles: new Map(),
    deployments: new Map(),
    idempotency: new Map(),
    licenses: new Map(),
    staged: new Map(),
    events: [],
  };
}

/** Adds a license as it is issued: no domain, no verification. */
export function addLicense(licenses: MemoryDatabase['licenses'], license: NewLicense): void {
  const retired = { verificationCount: 0, lastVerifiedAt: null };
  licenses.set(license.key, { license: { ...license, domainsUsed: 0, retired }, domains: new Map() });
}

/** Puts changed fields over an entry of a table, where there is one. */
export function patch<Id, Row>(table: Map<Id, Row>, id: Id, change: Partial<Row>): void {
  const row = table.get(id);
  if (row !== undefined) table.set(id, { ...row, ...change });
}

/** Newest first. */
export function newestFirst<Row>(table: ReadonlyMap<unknown, Row>): Row[] {
  return [...table.values()].reverse();
}
