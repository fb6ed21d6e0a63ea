import type { Knex } from 'knex';
import { isPostgres } from './database.ts';

/** The numbers of all advisory locks in Postgres. They are in one place so that no two are the same. */
export const advisoryLocks = {
  /** Held while a migration runs. */
  schema: 1_279_609_416,
  /** Held while license keys are added. */
  keys: 1_279_609_417,
  /** Held while settings of the site are changed. */
  settings: 1_279_609_418,
  /** Held while the page of a seller is changed. */
  sellerPages: 1_279_609_419,
  /** Held while the details of a seller for invoices are changed. */
  invoiceProfiles: 1_279_609_420,
  /** Held while a coupon of the site is added. */
  siteCoupons: 1_279_609_421,
  /** Held while the wallets of a seller are changed. */
  wallets: 1_279_609_422,
  /** Held while the sums of deployments are changed. */
  deploymentFigures: 1_279_609_423,
  /** Held while the key that signs leases is replaced. */
  leaseKeys: 1_279_609_426,
  /** Held while an account of the sandbox is added. */
  sandbox: 1_279_609_427,
} as const;

/** Makes transactions that hold the same lock wait for each other. Does nothing on SQLite, which has only one writer. */
export async function holdLock(trx: Knex.Transaction, lock: keyof typeof advisoryLocks): Promise<void> {
  if (isPostgres(trx)) await trx.raw('SELECT pg_advisory_xact_lock(?)', [advisoryLocks[lock]]);
}
