import type { AddressInfo } from 'node:net';
import { createHttpServer } from '../adapters/http/server.ts';
import { createManualClock, type ManualClock } from '../adapters/memory/clock.ts';
import type { Accounts } from '../core/accounts/accounts.ts';
import type { Issuing } from '../core/licensing/issuing.ts';
import type { Licensing } from '../core/licensing/licensing.ts';
import type { Marketplace } from '../core/marketplace/marketplace.ts';
import { compose } from './compose.ts';
import { readConfig, type variables } from './config.ts';
import { t } from './tokens.ts';

export { type DomainName, normalizeDomain } from '../core/licensing/domain-name.ts';
export { type LicenseKey, parseLicenseKey } from '../core/licensing/license-key.ts';

/** The whole service inside one process, for tests: nothing is written to disk, and time stands still. */
export interface Latchkey extends AsyncDisposable {
  /** What the service takes for the time. Expiry and rate limits go by it. */
  readonly clock: ManualClock;
  readonly accounts: Accounts;
  readonly issuing: Issuing;
  readonly licensing: Licensing;
  readonly marketplace: Marketplace;
  /** Serves on a free port of the loopback address, and answers the base URL (`http://127.0.0.1:<port>`). */
  listen(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts a service in memory. `now` is where its clock stands (default: 2026-01-01T00:00:00Z); `settings` are the
 * settings of the server, by their names (default: as in the README, without a log). Throws `WrongSetting` on a bad one.
 */
export async function embed(
  options: { readonly now?: Date; readonly settings?: { readonly [Name in keyof typeof variables]?: string } } = {},
): Promise<Latchkey> {
  const clock = createManualClock((options.now ?? new Date('2026-01-01T00:00:00Z')).getTime());
  const config = readConfig({ LOG_LEVEL: 'silent', ...options.settings, DATABASE_URL: 'memory:' });
  const parts = await compose(config, { clock });
  const app = await parts.get(t.app);
  const server = createHttpServer(app.callback(), { request: config.REQUEST_TIMEOUT * 1000 });
  let listening: Promise<AddressInfo> | undefined;
  const close = async () => {
    await server.close(0);
    await parts.close();
  };
  return {
    clock,
    accounts: await parts.get(t.accounts),
    issuing: await parts.get(t.issuing),
    licensing: await parts.get(t.licensing),
    marketplace: await parts.get(t.marketplace),
    async listen() {
      listening ??= server.listen(0, '127.0.0.1');
      return `http://127.0.0.1:${(await listening).port}`;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
