import type { IncomingMessage } from 'node:http';
import { ContainerModule } from 'inversify';
import type { ClientAddress } from '../../adapters/http/client-address.ts';
import type { Quota } from '../../adapters/http/rate-limit.ts';
import type { Route } from '../../adapters/http/route.ts';
import { licenseRoutes } from '../../adapters/http/routes/license.ts';
import { createShortcut } from '../../adapters/http/shortcut.ts';
import { createSurface, openToAll } from '../../adapters/http/surface.ts';
import type { Config } from '../config.ts';
import { t } from '../tokens.ts';

/** The license API: public, for any origin, limited by operation and address. */
export const licenseApi = new ContainerModule(({ bind }) => {
  bind(t.licenseRoutes).toResolvedValue(licenseRoutes, [t.licensing]);
  bind(t.licenseQuota).toResolvedValue(quotas, [t.config, t.clientAddress]);
  bind(t.licenseSurface).toResolvedValue(
    ({ limit }, quotaOf, routes) =>
      createSurface({
        routes,
        envelope: 'license',
        cors: openToAll,
        limit,
        quotaOf: (ctx, route) => quotaOf(ctx.req, route),
      }),
    [t.rateLimit, t.licenseQuota, t.licenseRoutes],
  );
  bind(t.shortcut).toResolvedValue(
    ({ count }, quotaOf, reporter, routes) =>
      (otherwise) =>
        createShortcut({ routes, quotaOf, count, reporter }, otherwise),
    [t.rateLimit, t.licenseQuota, t.reporter, t.licenseRoutes],
  );
});

/** What a call of the license API is counted against. */
export type LicenseQuota = (request: IncomingMessage, route: Route | undefined) => Quota;

function quotas(config: Config, clientAddress: ClientAddress): LicenseQuota {
  const limits: Record<string, number> = {
    activate: config.RATE_LIMIT_ACTIVATE,
    deactivate: config.RATE_LIMIT_DEACTIVATE,
    verify: config.RATE_LIMIT_VERIFY,
    status: config.RATE_LIMIT_STATUS,
  };
  return (request, route) => ({
    subject: `license:${route?.id ?? 'unknown'}:${clientAddress(request)}`,
    allowances: [{ limit: limits[route?.id ?? ''] ?? config.RATE_LIMIT_STATUS, seconds: 60 }],
  });
}
