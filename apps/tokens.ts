import type { Newable } from 'inversify';
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { HttpMetrics } from '../adapters/http/metrics.ts';
import type { Readiness } from '../adapters/http/operations.ts';
import type { State } from '../adapters/http/state.ts';
import type { MemoryDatabase } from '../adapters/memory/database.ts';
import type { Database } from '../adapters/sql/database.ts';
import type { Verifier } from '../adapters/sql/sqlite-verifier.ts';
import type { Accounts } from '../core/accounts/accounts.ts';
import type { Issuing } from '../core/licensing/issuing.ts';
import type { Licensing } from '../core/licensing/licensing.ts';
import type { Marketplace } from '../core/marketplace/marketplace.ts';
import type { AccountStore } from '../core/ports/account-store.ts';
import type { AuditLog } from '../core/ports/audit-log.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { LicenseStore } from '../core/ports/license-store.ts';
import type { ProductStore } from '../core/ports/product-store.ts';
import type { RateLimiter } from '../core/ports/rate-limiter.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { Config } from './config.ts';
import type { Lifecycle } from './lifecycle.ts';

/** The name of a dependency. It carries the type, so that two dependencies in each other's place do not compile. */
function token<T>(name: string): Newable<T> {
  return Symbol(name) as unknown as Newable<T>;
}

/** Everything that is wired, by name. */
export const t = {
  config: token<Config>('config'),
  log: token<Logger>('log'),
  clock: token<Clock>('clock'),
  secrets: token<Secrets>('secrets'),

  memory: token<MemoryDatabase>('memory'),
  database: token<Database>('database'),
  verifier: token<Verifier>('verifier'),
  accountStore: token<AccountStore>('accountStore'),
  auditLog: token<AuditLog>('auditLog'),
  licenseStore: token<LicenseStore>('licenseStore'),
  productStore: token<ProductStore>('productStore'),
  rateLimiter: token<RateLimiter>('rateLimiter'),
  /** What must answer before the service is ready. */
  checks: token<Readiness['checks']>('checks'),

  accounts: token<Accounts>('accounts'),
  issuing: token<Issuing>('issuing'),
  licensing: token<Licensing>('licensing'),
  marketplace: token<Marketplace>('marketplace'),

  metrics: token<HttpMetrics>('metrics'),
  lifecycle: token<Lifecycle>('lifecycle'),
  app: token<Koa<State>>('app'),
};
