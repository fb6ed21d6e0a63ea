import type { ApiKey } from '../../core/accounts/api-key.ts';
import type { User } from '../../core/accounts/user.ts';
import type { Event } from '../../core/events/event.ts';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { Activation, License } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Deployment } from '../../core/ports/deployment-log.ts';
import type { KeptAnswer } from '../../core/ports/idempotency-store.ts';
import type { Upload } from '../../core/ports/upload-log.ts';
import type { Template } from '../../core/templates/template.ts';

/** The tables that the memory stores share. Nothing in them outlives the process. */
export interface MemoryDatabase {
  readonly users: Map<number, User>;
  readonly keys: Map<number, ApiKey>;
  readonly products: Map<number, Product>;
  readonly templates: Map<number, Template>;
  /** `<user id>:<template id>` of each purchase. */
  readonly purchases: Set<string>;
  readonly uploads: Upload[];
  /** By user, mode, chain and transaction. */
  readonly deployments: Map<string, Deployment>;
  readonly idempotency: Map<string, { fingerprint: string; takenAt: number; answer?: KeptAnswer }>;
  /** Licenses in order of issue, their domains in order of activation. */
  readonly licenses: Map<LicenseKey, { license: License; readonly domains: Map<DomainName, Activation> }>;
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
    deployments: new Map(),
    idempotency: new Map(),
    licenses: new Map(),
    events: [],
  };
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
