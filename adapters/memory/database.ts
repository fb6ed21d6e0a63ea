import type { User } from '../../core/accounts/user.ts';
import type { Event } from '../../core/events/event.ts';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { Activation, License } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Product } from '../../core/marketplace/product.ts';

/** The tables that the memory stores share. Nothing in them outlives the process. */
export interface MemoryDatabase {
  readonly users: Map<number, User>;
  readonly products: Map<number, Product>;
  /** Licenses in order of issue, their domains in order of activation. */
  readonly licenses: Map<LicenseKey, { license: License; readonly domains: Map<DomainName, Activation> }>;
  readonly events: Event[];
}

export function createMemoryDatabase(): MemoryDatabase {
  return { users: new Map(), products: new Map(), licenses: new Map(), events: [] };
}
