import { ContainerModule } from 'inversify';
import { accountRoutes } from '../../../adapters/http/account/account.ts';
import { deploymentRoutes } from '../../../adapters/http/account/deployments.ts';
import { deviceRoutes } from '../../../adapters/http/account/device.ts';
import { keyRoutes } from '../../../adapters/http/account/keys.ts';
import { sellerLicenseRoutes } from '../../../adapters/http/account/licenses/routes.ts';
import { marketplaceRoutes } from '../../../adapters/http/account/marketplace/routes.ts';
import { orderRoutes } from '../../../adapters/http/account/orders/routes.ts';
import { productRoutes } from '../../../adapters/http/account/products/routes.ts';
import { purchaseRoutes } from '../../../adapters/http/account/purchases.ts';
import { templateRoutes } from '../../../adapters/http/account/templates.ts';
import { usageRoutes } from '../../../adapters/http/account/usage.ts';
import { webhookRoutes } from '../../../adapters/http/account/webhooks/routes.ts';
import { createAddresses } from '../../../adapters/http/addresses.ts';
import { byApiKey, byPlan } from '../../../adapters/http/authenticate.ts';
import { accountEnvelope } from '../../../adapters/http/envelopes.ts';
import { createIdempotency } from '../../../adapters/http/idempotency.ts';
import { createFileReceiver } from '../../../adapters/http/receive-file.ts';
import type { Route } from '../../../adapters/http/route.ts';
import { transportHeaders } from '../../../adapters/http/security-headers.ts';
import { exposedHeaders, isUnder, type Surface } from '../../../adapters/http/surface.ts';
import { createFormReader } from '../../../adapters/http/upload.ts';
import type { ServedSurface } from '../served-surface.ts';
import { t, token } from '../tokens.ts';

const shared = {
  owns: (path: string) => isUnder(path, '/api') && !isUnder(path, '/api/license'),
  envelope: accountEnvelope,
};
const surface = token<Surface>('accountSurface');

const module = new ContainerModule(({ bind }) => {
  bind(t.addresses).toResolvedValue(
    (config, signer, files, clock) =>
      createAddresses(config.BASE_URL, signer, files, clock, config.DOWNLOAD_LINK_LIFETIME * 1000),
    [t.config, t.signer, t.files, t.clock],
  );
  bind(t.accountTools).toResolvedValue(
    (config, files, inspection, store, clock, log) => ({
      readForm: createFormReader(files.staging, inspection, { zip: config.MAX_ZIP_SIZE, image: config.MAX_IMAGE_SIZE }),
      idempotency: createIdempotency(store, clock, { log }),
    }),
    [t.config, t.files, t.fileInspection, t.idempotencyStore, t.clock, t.log],
  );
  bind(t.sheetTools).toResolvedValue(
    (config, files, imports, exportSheet) => ({
      receiver: createFileReceiver(files.staging, config.MAX_CSV_SIZE),
      imports,
      export: exportSheet,
    }),
    [t.config, t.files, t.sheetImports, t.sheetExport],
  );
  bind(t.accountRoutes).toResolvedValue(
    (
      tools,
      accounts,
      templates,
      marketplace,
      products,
      addresses,
      licenses,
      domains,
      sheets,
      deployments,
      usage,
      webhooks,
      box,
      devices,
      clientAddress,
      purchases,
      config,
      orders,
      orderList,
    ): Route[] => [
      ...accountRoutes(tools),
      ...keyRoutes(tools, accounts),
      ...deviceRoutes(devices, new URL('/device', config.BASE_URL).href, clientAddress),
      ...templateRoutes(tools, templates),
      ...marketplaceRoutes(tools, marketplace, addresses),
      ...productRoutes({ tools, products, addresses }),
      ...sellerLicenseRoutes(tools, licenses, domains, sheets),
      ...deploymentRoutes(tools, deployments),
      ...usageRoutes(tools, usage),
      ...orderRoutes({ tools, orders, list: orderList }),
      ...webhookRoutes({ tools, webhooks, box }),
      ...purchaseRoutes(tools, purchases, config.BASE_URL),
    ],
    [
      t.accountTools,
      t.accounts,
      t.templates,
      t.marketplace,
      t.sellerProducts,
      t.addresses,
      t.sellerLicenses,
      t.licenseDomains,
      t.sheetTools,
      t.deployments,
      t.sellingUsage,
      t.webhooks,
      t.secretBox,
      t.deviceLogins,
      t.clientAddress,
      t.purchases,
      t.config,
      t.orders,
      t.orderList,
    ],
  );

  bind(surface).toResolvedValue(
    (config, clientAddress, accounts, usage, endpoints): Surface => ({
      ...shared,
      name: 'account',
      endpoints,
      headers: transportHeaders(config.BASE_URL, config.HSTS_INCLUDE_SUBDOMAINS),
      cors: {
        origin: (ctx) => (config.ACCOUNT_ORIGINS.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
        allowMethods: 'GET,HEAD,POST,PATCH,DELETE',
        allowHeaders: 'X-API-Key,Content-Type,Idempotency-Key,X-Request-Id',
        exposeHeaders: exposedHeaders,
        maxAge: 86_400,
      },
      authenticate: byApiKey(accounts),
      quotaOf: byPlan(clientAddress),
      noteCall: ({ user }, isRefused) => usage.count(user.id, isRefused),
    }),
    [t.config, t.clientAddress, t.accounts, t.usageMeter, t.accountRoutes],
  );
});

/** The account API. */
export const accountApi: ServedSurface = {
  ...shared,
  token: surface,
  module,
  servedBy: ['all', 'account'],
  usesFiles: true,
  url: 'BASE_URL',
  documented: t.accountRoutes,
};
