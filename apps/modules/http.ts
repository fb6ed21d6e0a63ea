import { ContainerModule } from 'inversify';
import compose from 'koa-compose';
import { createApp } from '../../adapters/http/app.ts';
import { createClientAddress } from '../../adapters/http/client-address.ts';
import { createHttpMetrics } from '../../adapters/http/metrics.ts';
import { createHealth } from '../../adapters/http/operations.ts';
import { createRateLimit } from '../../adapters/http/rate-limit.ts';
import { licenseRoutes } from '../../adapters/http/routes/license.ts';
import { createSurface, exposedHeaders } from '../../adapters/http/surface.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { createLifecycle } from '../lifecycle.ts';
import { t } from '../tokens.ts';

/** The HTTP service. */
export const http = new ContainerModule(({ bind }) => {
  bind(t.lifecycle).toResolvedValue(createLifecycle);
  bind(t.metrics).toResolvedValue(createHttpMetrics);
  bind(t.rateLimiter).toResolvedValue(createMemoryRateLimiter, [t.clock]);
  bind(t.app).toResolvedValue(
    (config, log, clock, metrics, limiter, checks, { accepts }, licensing) => {
      const clientAddress = createClientAddress(config.TRUSTED_PROXIES);
      const limits: Record<string, number> = {
        activate: config.RATE_LIMIT_ACTIVATE,
        deactivate: config.RATE_LIMIT_DEACTIVATE,
        verify: config.RATE_LIMIT_VERIFY,
        status: config.RATE_LIMIT_STATUS,
      };
      const license = createSurface({
        routes: licenseRoutes(licensing),
        envelope: 'license',
        cors: { origin: '*', allowMethods: 'GET,HEAD,POST', exposeHeaders: exposedHeaders, maxAge: 86_400 },
        ...(config.RATE_LIMIT_URL.kind !== 'off' && {
          limit: {
            by: createRateLimit(limiter, clock),
            quotaOf: (ctx, route) => ({
              subject: `${route?.id ?? 'unknown'}:${clientAddress(ctx.req)}`,
              allowances: [{ limit: limits[route?.id ?? 'status'] ?? config.RATE_LIMIT_STATUS, seconds: 60 }],
            }),
          },
        }),
      });
      const operations = compose([createHealth({ checks, accepts }), license]);
      return createApp({
        surfaceOf: (path) => (path.startsWith('/health/') ? operations : license),
        log,
        metrics,
      });
    },
    [t.config, t.log, t.clock, t.metrics, t.rateLimiter, t.checks, t.lifecycle, t.licensing],
  );
});
