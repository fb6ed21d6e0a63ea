import { ContainerModule } from 'inversify';
import compose from 'koa-compose';
import { createAddresses } from '../../adapters/http/addresses.ts';
import { createApp } from '../../adapters/http/app.ts';
import { createAccountQuota } from '../../adapters/http/authenticate.ts';
import { createClientAddress } from '../../adapters/http/client-address.ts';
import { createIdempotency } from '../../adapters/http/idempotency.ts';
import { createHttpMetrics } from '../../adapters/http/metrics.ts';
import { openApiDocument } from '../../adapters/http/openapi.ts';
import { createHealth } from '../../adapters/http/operations.ts';
import { docsPages } from '../../adapters/http/pages/docs-page.ts';
import { createRateLimit } from '../../adapters/http/rate-limit.ts';
import type { Route } from '../../adapters/http/route.ts';
import { accountRoutes } from '../../adapters/http/routes/account.ts';
import { deploymentRoutes } from '../../adapters/http/routes/deployments.ts';
import { licenseRoutes } from '../../adapters/http/routes/license.ts';
import { marketplaceRoutes } from '../../adapters/http/routes/marketplace.ts';
import { templateRoutes } from '../../adapters/http/routes/templates.ts';
import { createSite } from '../../adapters/http/site.ts';
import { createSurface, exposedHeaders } from '../../adapters/http/surface.ts';
import { createFormReader } from '../../adapters/http/upload.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { createLifecycle } from '../lifecycle.ts';
import { locateLinked, locateMedia } from '../locate.ts';
import { t } from '../tokens.ts';
import { version } from '../version.ts';

/** Milliseconds between two savings of the long windows: a kill forgets no more than these. */
const archiveEvery = 1_000;

/** The HTTP service. */
export const http = new ContainerModule(({ bind }) => {
  bind(t.lifecycle).toResolvedValue(createLifecycle);
  bind(t.metrics).toResolvedValue(createHttpMetrics);
  bind(t.clientAddress).toResolvedValue((config) => createClientAddress(config.TRUSTED_PROXIES), [t.config]);

  bind(t.rateLimiter)
    .toResolvedValue(
      async (clock, archive, log) => {
        const limiter = createMemoryRateLimiter(clock, await archive.load(clock.now()));
        const save = () =>
          archive
            .save(limiter.changed(), clock.now())
            .catch((error) => log.error({ err: error }, 'counters not saved'));
        const timer = setInterval(save, archiveEvery).unref();
        return Object.assign(limiter, {
          async close() {
            clearInterval(timer);
            await save();
          },
        });
      },
      [t.clock, t.counterArchive, t.log],
    )
    .onDeactivation((limiter) => limiter.close());
  bind(t.rateLimit).toResolvedValue(
    (config, limiter, clock) => ({
      limit: config.RATE_LIMIT_URL.kind === 'off' ? undefined : createRateLimit(limiter, clock),
    }),
    [t.config, t.rateLimiter, t.clock],
  );

  bind(t.licenseRoutes).toResolvedValue(licenseRoutes, [t.licensing]);
  bind(t.addresses).toResolvedValue((config, signer) => createAddresses(config.BASE_URL, signer), [t.config, t.signer]);
  bind(t.accountTools).toResolvedValue(
    (config, disk, inspection, store, clock) => ({
      readForm: createFormReader(disk.staging, inspection, { zip: config.MAX_ZIP_SIZE, image: config.MAX_IMAGE_SIZE }),
      idempotency: createIdempotency(store, clock),
    }),
    [t.config, t.disk, t.fileInspection, t.idempotencyStore, t.clock],
  );
  bind(t.accountRoutes).toResolvedValue(
    (tools, templates, marketplace, addresses, deployments): Route[] => [
      ...accountRoutes(tools),
      ...templateRoutes(tools, templates),
      ...marketplaceRoutes(tools, marketplace, addresses),
      ...deploymentRoutes(tools, deployments),
    ],
    [t.accountTools, t.templates, t.marketplace, t.addresses, t.deployments],
  );

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
  bind(t.accountSurface).toResolvedValue(
    (config, { limit }, clientAddress, accounts, routes) =>
      createSurface({
        routes,
        envelope: 'account',
        cors: {
          origin: (ctx) => (config.ACCOUNT_ORIGINS.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
          allowMethods: 'GET,HEAD,POST',
          allowHeaders: 'X-API-Key,Content-Type,Idempotency-Key,X-Request-Id',
          exposeHeaders: exposedHeaders,
          maxAge: 86_400,
        },
        limit,
        quotaOf: createAccountQuota(accounts, clientAddress),
      }),
    [t.config, t.rateLimit, t.clientAddress, t.accounts, t.accountRoutes],
  );
  bind(t.site).toResolvedValue(
    (config, marketplace, addresses, disk, signer, clock, licenseRoutes, accountRoutes) => {
      const { BASE_URL: baseUrl, VERIFY_URL: verifyUrl } = config;
      const document = openApiDocument({ licenseRoutes, accountRoutes, baseUrl, verifyUrl, version });
      return createSite({
        marketplace,
        addresses,
        locate: (key) => locateMedia(disk, key),
        locateLinked: (key, query) => locateLinked(disk, signer, clock, key, query),
        pages: docsPages(document, [...new Set([baseUrl, verifyUrl].map((url) => new URL(url).origin))]),
      });
    },
    [t.config, t.marketplace, t.addresses, t.disk, t.signer, t.clock, t.licenseRoutes, t.accountRoutes],
  );
  bind(t.app).toResolvedValue(
    (log, metrics, checks, { accepts }, license, account, site) => {
      const health = compose([createHealth({ checks, accepts }), license]);
      return createApp({
        surfaceOf(path) {
          if (/^\/health\//.test(path)) return health;
          if (/^\/(?:marketplace|media|files|docs|openapi\.json)(?:\/|$)/.test(path)) return site;
          return /^\/api(?:\/|$)/i.test(path) && !/^\/api\/license(?:\/|$)/i.test(path) ? account : license;
        },
        log,
        metrics,
      });
    },
    [t.log, t.metrics, t.checks, t.lifecycle, t.licenseSurface, t.accountSurface, t.site],
  );
});
