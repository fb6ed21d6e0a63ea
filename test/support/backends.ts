import { createMemoryAccountStore } from '../../adapters/memory/account-store.ts';
import { createMemoryAuditLog } from '../../adapters/memory/audit-log.ts';
import { createMemoryDatabase } from '../../adapters/memory/database.ts';
import { createMemoryLicenseStore } from '../../adapters/memory/license-store.ts';
import { createMemoryProductStore } from '../../adapters/memory/product-store.ts';
import type { AccountStore } from '../../core/ports/account-store.ts';
import type { AuditLog } from '../../core/ports/audit-log.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';
import type { ProductStore } from '../../core/ports/product-store.ts';
import { openSqliteStores } from './sqlite-stores.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The stores of one database. */
export interface Stores {
  readonly licenses: LicenseStore;
  readonly accounts: AccountStore;
  readonly products: ProductStore;
  readonly audit: AuditLog;
  /** Leaves nothing of the database behind where the backend made it for the test. */
  close(): Promise<void>;
}

/** A kind of database that the contract suites run on. */
export interface Backend {
  readonly name: string;
  /** Why it cannot be tested here, such as a server that no environment variable names. */
  readonly skip?: string | undefined;
  /** Opens a database of its own, which is empty. */
  open(): Promise<Stores>;
}

const memory: Backend = {
  name: 'memory',
  async open() {
    const database = createMemoryDatabase();
    return {
      licenses: createMemoryLicenseStore(database),
      accounts: createMemoryAccountStore(database),
      products: createMemoryProductStore(database),
      audit: createMemoryAuditLog(database),
      close: async () => undefined,
    };
  },
};

const sqlite: Backend = {
  name: 'sqlite',
  async open() {
    const folder = await makeTemporaryFolder();
    const stores = await openSqliteStores(folder.file('latchkey.db'));
    return {
      ...stores,
      async close() {
        await stores.close();
        await folder.remove();
      },
    };
  },
};

/** Another database joins every contract by a line here: `skip` where its environment variable names no server. */
export const backends: readonly Backend[] = [memory, sqlite];

/** Opens a fresh database for each test of the suite it is called in; a backend that is skipped says why. */
export function openForEach(backend: Backend): Omit<Stores, 'close'> {
  return openIn(beforeEach, afterEach, backend);
}

/** Opens one database for all tests of the suite it is called in; a backend that is skipped says why. */
export function openForAll(backend: Backend): Omit<Stores, 'close'> {
  return openIn(before, after, backend);
}

function openIn(start: Mocha.HookFunction, end: Mocha.HookFunction, { name, skip, open }: Backend) {
  let stores: Stores | undefined;
  start(async function () {
    if (skip !== undefined) {
      console.warn(`      ${name} is skipped: ${skip}`);
      this.skip();
    }
    stores = await open();
  });
  end(() => stores?.close());
  const opened = () => {
    if (stores === undefined) throw new Error('The stores are open in tests only.');
    return stores;
  };
  return {
    get licenses() {
      return opened().licenses;
    },
    get accounts() {
      return opened().accounts;
    },
    get products() {
      return opened().products;
    },
    get audit() {
      return opened().audit;
    },
  };
}
