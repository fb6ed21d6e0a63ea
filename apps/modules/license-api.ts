import { ContainerModule } from 'inversify';
import { licenseRoutes } from '../../adapters/http/routes/license.ts';
import { createSurface, exposedHeaders } from '../../adapters/http/surface.ts';
import { t } from '../tokens.ts';

/** The license API: public, for any origin, limited by operation and address. */
export const licenseApi = new ContainerModule(({ bind }) => {
  bind(t.licenseRoutes).toResolvedValue(licenseRoutes, [t.licensing]);
  bind(t.licenseSurface).toResolvedValue(
    (config, { limit }, clientAddress, routes) => {
      const limits: Record<string, number> = {
        activate: config.RATE_LIMIT_ACTIVATE,
        deactivate: config.RATE_LIMIT_DEACTIVATE,
        verify: config.RATE_LIMIT_VERIFY,
        status: config.RATE_LIMIT_STATUS,
      };
      return createSurface({
        routes,
        envelope: 'license',
        cors: { origin: '*', allowMethods: 'GET,HEAD,POST', exposeHeaders: exposedHeaders, maxAge: 86_400 },
        limit,
        quotaOf: (ctx, route) => ({
          subject: `license:${route?.id ?? 'unknown'}:${clientAddress(ctx.req)}`,
          allowances: [{ limit: limits[route?.id ?? ''] ?? config.RATE_LIMIT_STATUS, seconds: 60 }],
        }),
      });
    },
    [t.config, t.rateLimit, t.clientAddress, t.licenseRoutes],
  );
});
