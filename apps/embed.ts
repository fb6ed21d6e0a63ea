import { createManualClock, type ManualClock } from '../adapters/node/manual-clock.ts';
import type { Accounts } from '../core/accounts/accounts.ts';
import type { Issuing } from '../core/licensing/issuing.ts';
import type { Licensing } from '../core/licensing/licensing.ts';
import type { MarketplaceAdministration } from '../core/marketplace/product-administration.ts';
import type { TemplateAdministration } from '../core/templates/template-administration.ts';
import type { variables } from './wiring/settings.ts';

export { type DomainName, normalizeDomain } from '../core/licensing/domain-name.ts';
export { type LicenseKey, parseLicenseKey } from '../core/licensing/license-key.ts';
export { isRefused } from '../core/refusal.ts';

/** The whole service inside one process, for tests. It leaves nothing behind, and its clock does not run by itself. */
export interface Latchkey extends AsyncDisposable {
  /** The clock of the service. Expiry and rate limits use it. */
  readonly clock: ManualClock;
  readonly accounts: Accounts;
  readonly issuing: Issuing;
  readonly licensing: Licensing;
  readonly products: MarketplaceAdministration;
  readonly templates: TemplateAdministration;
  /** The address of the service: `http://localhost:<a free port>`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a service in memory. `now` is the first time of its clock (default: 2026-01-01T00:00:00Z). `settings` are the
 * settings of the server, by their names. Their defaults are those of the server, but nothing is logged. DATABASE_URL,
 * FILES_URL and PORT are ignored. Throws `WrongSetting` if a setting is invalid.
 */
export async function embed(
  options: { readonly now?: Date; readonly settings?: { readonly [Name in keyof typeof variables]?: string } } = {},
): Promise<Latchkey> {
  // Loaded here, because only a service needs them: an import of this module costs nothing.
  const [{ readConfig }, { compose }, { openService }, { t }] = await Promise.all([
    import('./wiring/config.ts'),
    import('./wiring/compose.ts'),
    import('./server/open-service.ts'),
    import('./wiring/tokens.ts'),
  ]);
  const clock = createManualClock((options.now ?? new Date('2026-01-01T00:00:00Z')).getTime());
  const wanted = readConfig({
    LOG_LEVEL: 'silent',
    ...options.settings,
    DATABASE_URL: 'memory:',
    FILES_URL: 'temporary:',
    PORT: '0',
  });
  const service = await openService(wanted, (config) => compose(config, { clock }), 'localhost');
  const close = () => service.close(0);
  const { parts } = service;
  return {
    clock,
    url: `http://localhost:${service.port}`,
    accounts: await parts.get(t.accounts),
    issuing: await parts.get(t.issuing),
    licensing: await parts.get(t.licensing),
    products: await parts.get(t.products),
    templates: await parts.get(t.templateAdministration),
    close,
    [Symbol.asyncDispose]: close,
  };
}
