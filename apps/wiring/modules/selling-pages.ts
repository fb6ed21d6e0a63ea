import { couponPages } from '../../../adapters/http/dashboard/coupons/coupon.tsx';
import { deploymentPages } from '../../../adapters/http/dashboard/deployments/figures.tsx';
import { profilePages } from '../../../adapters/http/dashboard/invoicing/profile.tsx';
import { licensePages } from '../../../adapters/http/dashboard/licenses/license.tsx';
import { orderPages } from '../../../adapters/http/dashboard/orders/order.tsx';
import { overviewPages } from '../../../adapters/http/dashboard/overview/overview.tsx';
import { sellerProductPages } from '../../../adapters/http/dashboard/products/product.tsx';
import { walletPages } from '../../../adapters/http/dashboard/wallets/wallets.tsx';
import { webhookPages } from '../../../adapters/http/dashboard/webhooks/webhook.tsx';
import { setting } from '../chosen.ts';
import { listOf, part } from '../part.ts';
import { sheetTools } from './account-api.ts';
import { accounts } from './accounts.ts';
import { addresses } from './addresses.ts';
import { printSheet } from './files.ts';
import { sellerLicenses, sellerStrays, sellingUsage } from './licensing.ts';
import {
  deployments,
  marketplace,
  productOffers,
  productTemplates,
  ratings,
  reviewers,
  sellerPages,
  sellerProducts,
  sellerReleaseCodes,
  setAdapters,
  setBundle,
  soldDeployments,
  storefront,
} from './marketplace.ts';
import { once, pages } from './page-tools.ts';
import {
  checkout,
  coupons,
  customerList,
  invoiceProfiles,
  orderList,
  orders,
  paymentClaims,
  sellerSubscriptions,
  sendBack,
  undoSendBack,
  usdcPaying,
} from './purchases.ts';
import { briefOverview, listedLicenses, listedOrders, listedProducts } from './remembered.ts';
import { licenseInstances } from './sql.ts';
import { wallets } from './usdc.ts';
import { webhooks } from './webhooks.ts';

/** What the pages about products need, for sellers and for moderators. */
export const ofProducts = {
  products: sellerProducts,
  setAdapters,
  setBundle,
  ratings,
  reviewers,
  checkout,
  storefront,
  accounts,
  addresses,
  baseUrl: setting('BASE_URL'),
  sellers: sellerPages,
  orders: orderList,
  templates: productTemplates,
  codes: sellerReleaseCodes,
};

const ofUse = { usage: sellingUsage, strays: sellerStrays };

/** The pages for sellers. Administrators see there what others sell, too. */
export const sellingPages = listOf([
  pages((tools, { overview, ...orders }) => overviewPages(tools, overview, orders), {
    overview: briefOverview,
    orders,
    list: listedOrders,
    profiles: invoiceProfiles,
  }),
  pages(sellerProductPages, { ...ofProducts, ...ofUse, offers: productOffers, marketplace, once }),
  pages(licensePages, {
    ...ofUse,
    licenses: sellerLicenses,
    listedLicenses,
    domains: part(({ licenses }) => licenses.domains, { licenses: sellerLicenses }),
    instances: licenseInstances,
    deployments: soldDeployments,
    orders: orderList,
    products: listedProducts,
    accounts,
    sheets: sheetTools,
    once,
  }),
  pages(deploymentPages, { sold: soldDeployments, deployments, products: listedProducts, accounts }),
  pages(profilePages, { profiles: invoiceProfiles }),
  pages(walletPages, { wallets }),
  pages(orderPages, {
    orders,
    sendBack,
    undoSendBack,
    list: orderList,
    subscriptions: sellerSubscriptions,
    customers: customerList,
    wallets,
    usdc: usdcPaying,
    claims: paymentClaims,
    products: listedProducts,
    accounts,
    once,
    print: printSheet,
  }),
  pages(couponPages, {
    coupons,
    products: sellerProducts,
    once,
    baseUrl: setting('BASE_URL'),
  }),
  pages(webhookPages, { webhooks, products: sellerProducts, once }),
]);
