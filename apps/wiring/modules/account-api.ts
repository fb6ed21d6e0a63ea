import { accountRoutes as ownAccountRoutes } from '../../../adapters/http/account/account.ts';
import { keyRoutes } from '../../../adapters/http/account/api-keys.ts';
import { couponRoutes } from '../../../adapters/http/account/coupons/routes.ts';
import { customerRoutes } from '../../../adapters/http/account/customers/routes.ts';
import { deploymentFigureRoutes } from '../../../adapters/http/account/deployment-figures.ts';
import { deploymentRoutes } from '../../../adapters/http/account/deployments.ts';
import { deviceRoutes } from '../../../adapters/http/account/device.ts';
import { sellerLicenseRoutes } from '../../../adapters/http/account/licenses/routes.ts';
import { createShowImport } from '../../../adapters/http/account/licenses/sheets.ts';
import { marketplaceRoutes } from '../../../adapters/http/account/marketplace/routes.ts';
import { claimRoutes } from '../../../adapters/http/account/orders/claims.ts';
import { orderRoutes } from '../../../adapters/http/account/orders/routes.ts';
import { adapterRoutes } from '../../../adapters/http/account/products/adapters.ts';
import { bundleRoutes } from '../../../adapters/http/account/products/bundles.ts';
import { codeRoutes } from '../../../adapters/http/account/products/codes.ts';
import { offerRoutes } from '../../../adapters/http/account/products/offers.ts';
import { productRoutes } from '../../../adapters/http/account/products/routes.ts';
import { purchaseRoutes } from '../../../adapters/http/account/purchases.ts';
import { strayRoutes } from '../../../adapters/http/account/strays.ts';
import { subscriptionRoutes } from '../../../adapters/http/account/subscriptions/routes.ts';
import { templateRoutes } from '../../../adapters/http/account/templates.ts';
import { usageRoutes } from '../../../adapters/http/account/usage.ts';
import { walletRoutes } from '../../../adapters/http/account/wallets.ts';
import { webhookRoutes } from '../../../adapters/http/account/webhooks/routes.ts';
import { byApiKey, byPlan } from '../../../adapters/http/authenticate.ts';
import { createIdempotency } from '../../../adapters/http/idempotency.ts';
import { createFileReceiver } from '../../../adapters/http/receive-file.ts';
import type { AccountTools, Route } from '../../../adapters/http/route.ts';
import type { SheetTools } from '../../../adapters/http/sheet-tools.ts';
import { exposedHeaders, type OwnSurface } from '../../../adapters/http/surface.ts';
import { createFormReader, type UploadLimits } from '../../../adapters/http/upload.ts';
import { clock, config, files, log, setting } from '../chosen.ts';
import { part, together } from '../part.ts';
import { accounts, deviceLogins, usageMeter } from './accounts.ts';
import { addresses, clientAddress } from './addresses.ts';
import { fileInspection, pictures } from './files.ts';
import { issuing, sellerLicenses, sellerStrays, sellingUsage, sheetExport, sheetImports } from './licensing.ts';
import {
  deployments,
  marketplace,
  productOffers,
  sellerProducts,
  sellerReleaseCodes,
  setAdapters,
  setBundle,
  soldDeployments,
  templates,
} from './marketplace.ts';
import {
  coupons,
  customerList,
  orderList,
  orders,
  paymentClaims,
  purchases,
  sellerSubscriptions,
  sendBack,
  undoSendBack,
} from './purchases.ts';
import { secretBox } from './secrets.ts';
import { idempotencyStore, importProgress } from './sql.ts';
import { wallets } from './usdc.ts';
import { webhooks } from './webhooks.ts';

/** The largest files that forms accept. */
export const uploadLimits = part(
  ({ config: { MAX_ZIP_SIZE: zip, MAX_IMAGE_SIZE: image, SANDBOX: isSandbox } }): UploadLimits => ({
    zip,
    image,
    ...(isSandbox && { why: 'This is a sandbox, which keeps only small files.' }),
  }),
  { config },
);
export const accountTools = part(
  ({ uploadLimits, files, inspection, pictures, store, clock, log }): AccountTools => ({
    readForm: createFormReader(files.staging, inspection, uploadLimits, pictures),
    idempotency: createIdempotency(store, clock, { log }),
  }),
  { uploadLimits, files, inspection: fileInspection, pictures, store: idempotencyStore, clock, log },
);
/** Recovers all imports, however long it takes. */
const untilDone = () => true;
export const sheetTools = part(
  ({ most, files, imports, issuing, progress, clock, exportSheet }): SheetTools => ({
    receiver: createFileReceiver(files.staging, most),
    imports,
    recover: () => issuing.recoverImports(untilDone),
    show: createShowImport(progress, clock),
    export: exportSheet,
  }),
  {
    most: setting('MAX_CSV_SIZE'),
    files,
    imports: sheetImports,
    issuing,
    progress: importProgress,
    clock,
    exportSheet: sheetExport,
  },
);

export const accountRoutes = part(
  ({ tools, baseUrl, ...parts }): Route[] => [
    ...ownAccountRoutes(tools),
    ...keyRoutes(tools, parts.accounts),
    ...deviceRoutes(parts.devices, new URL('/device', baseUrl).href, parts.clientAddress),
    ...templateRoutes(tools, parts.templates),
    ...marketplaceRoutes(tools, parts.marketplace, parts.addresses),
    ...productRoutes({ tools, products: parts.products, addresses: parts.addresses }),
    ...offerRoutes(tools, parts.offers),
    ...bundleRoutes({ tools, marketplace: parts.marketplace, setBundle: parts.setBundle, addresses: parts.addresses }),
    ...codeRoutes(tools, parts.codes),
    ...adapterRoutes({ tools, products: parts.products, setAdapters: parts.setAdapters }),
    ...sellerLicenseRoutes(tools, parts.licenses, parts.sheets),
    ...deploymentRoutes(tools, parts.deployments),
    ...deploymentFigureRoutes(tools, parts.soldDeployments),
    ...usageRoutes(tools, parts.usage),
    ...strayRoutes(tools, parts.strays),
    ...couponRoutes(tools, parts.coupons),
    ...orderRoutes({ ...parts.ofOrders, tools, baseUrl }),
    ...claimRoutes(tools, parts.claims),
    ...walletRoutes(tools, parts.wallets),
    ...customerRoutes(tools, parts.customers),
    ...subscriptionRoutes(tools, parts.subscriptions),
    ...webhookRoutes({ tools, webhooks: parts.webhooks, box: parts.box }),
    ...purchaseRoutes(tools, parts.purchases, baseUrl),
  ],
  {
    tools: accountTools,
    baseUrl: setting('BASE_URL'),
    accounts,
    devices: deviceLogins,
    clientAddress,
    templates,
    marketplace,
    products: sellerProducts,
    offers: productOffers,
    setBundle,
    setAdapters,
    codes: sellerReleaseCodes,
    coupons,
    addresses,
    licenses: sellerLicenses,
    sheets: sheetTools,
    deployments,
    soldDeployments,
    usage: sellingUsage,
    strays: sellerStrays,
    customers: customerList,
    ofOrders: together({ orders, list: orderList, sendBack, undoSendBack }),
    claims: paymentClaims,
    wallets,
    subscriptions: sellerSubscriptions,
    webhooks,
    box: secretBox,
    purchases,
  },
);

/** The account API. */
export const accountSurface = part(
  ({ origins, clientAddress, accounts, usage, endpoints }): OwnSurface => ({
    name: 'account',
    endpoints,
    cors: {
      origin: (ctx) => (origins.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
      allowMethods: 'GET,HEAD,POST,PUT,PATCH,DELETE',
      allowHeaders: 'X-API-Key,Content-Type,Idempotency-Key,X-Request-Id',
      exposeHeaders: exposedHeaders,
      maxAge: 86_400,
    },
    authenticate: byApiKey(accounts),
    quotaOf: byPlan(clientAddress),
    noteCall: ({ user }, isRefused) => usage.count(user.id, isRefused),
  }),
  { origins: setting('ACCOUNT_ORIGINS'), clientAddress, accounts, usage: usageMeter, endpoints: accountRoutes },
);
