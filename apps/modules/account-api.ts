import { ContainerModule } from 'inversify';
import { createAddresses } from '../../adapters/http/addresses.ts';
import { createAccountQuota } from '../../adapters/http/authenticate.ts';
import { createIdempotency } from '../../adapters/http/idempotency.ts';
import { openApiDocument } from '../../adapters/http/openapi.ts';
import { docsPages } from '../../adapters/http/pages/docs-page.ts';
import type { Route } from '../../adapters/http/route.ts';
import { accountRoutes } from '../../adapters/http/routes/account.ts';
import { deploymentRoutes } from '../../adapters/http/routes/deployments.ts';
import { marketplaceRoutes } from '../../adapters/http/routes/marketplace.ts';
import { templateRoutes } from '../../adapters/http/routes/templates.ts';
import { createSite } from '../../adapters/http/site.ts';
import { createSurface, exposedHeaders } from '../../adapters/http/surface.ts';
import { createFormReader } from '../../adapters/http/upload.ts';
import { t } from '../tokens.ts';
import { version } from '../version.ts';

/** The account API, and the pages and files that belong to it. */
export const accountApi = new ContainerModule(({ bind }) => {
  bind(t.addresses).toResolvedValue((config, signer) => createAddresses(config.BASE_URL, signer), [t.config, t.signer]);
  bind(t.accountTools).toResolvedValue(
    (config, files, inspection, store, clock) => ({
      readForm: createFormReader(files.staging, inspection, { zip: config.MAX_ZIP_SIZE, image: config.MAX_IMAGE_SIZE }),
      idempotency: createIdempotency(store, clock),
    }),
    [t.config, t.files, t.fileInspection, t.idempotencyStore, t.clock],
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
    (config, marketplace, addresses, serving, licenseRoutes, accountRoutes) => {
      const { BASE_URL: baseUrl, VERIFY_URL: verifyUrl } = config;
      const document = () => openApiDocument({ licenseRoutes, accountRoutes, baseUrl, verifyUrl, version });
      return createSite({
        marketplace,
        addresses,
        ...serving,
        pages: docsPages(document, [...new Set([baseUrl, verifyUrl].map((url) => new URL(url).origin))]),
      });
    },
    [t.config, t.marketplace, t.addresses, t.fileServing, t.licenseRoutes, t.accountRoutes],
  );
});
