import { planPages } from '../../../adapters/http/dashboard/api-keys/plan.tsx';
import { buyingPages } from '../../../adapters/http/dashboard/buying/order-page.tsx';
import { couponPages } from '../../../adapters/http/dashboard/coupons/coupon.tsx';
import { deploymentPages } from '../../../adapters/http/dashboard/deployments/figures.tsx';
import { createHomeOf } from '../../../adapters/http/dashboard/home.ts';
import { profilePages } from '../../../adapters/http/dashboard/invoicing/profile.tsx';
import { failurePage } from '../../../adapters/http/dashboard/kit/answer.ts';
import { createOnce, createReplay } from '../../../adapters/http/dashboard/kit/once.ts';
import type { DashboardTools } from '../../../adapters/http/dashboard/kit/page.ts';
import { launchPages } from '../../../adapters/http/dashboard/launch/launch.tsx';
import { licensePages } from '../../../adapters/http/dashboard/licenses/license.tsx';
import { notificationPages } from '../../../adapters/http/dashboard/notifications/notifications.tsx';
import { orderPages } from '../../../adapters/http/dashboard/orders/order.tsx';
import { overviewPages } from '../../../adapters/http/dashboard/overview/overview.tsx';
import { moderationPages, sellerProductPages } from '../../../adapters/http/dashboard/products/product.tsx';
import { sandboxPages } from '../../../adapters/http/dashboard/sandbox/sandbox.tsx';
import { securityPages } from '../../../adapters/http/dashboard/security/overview.tsx';
import { settingPages } from '../../../adapters/http/dashboard/settings/settings.tsx';
import { devicePages } from '../../../adapters/http/dashboard/sign-in/device.tsx';
import { newAccountPages } from '../../../adapters/http/dashboard/sign-in/new-account.tsx';
import { recoveryPages, signInPages } from '../../../adapters/http/dashboard/sign-in/sign-in.tsx';
import { systemPages } from '../../../adapters/http/dashboard/system/system.tsx';
import { userPages } from '../../../adapters/http/dashboard/users/user.tsx';
import { walletPages } from '../../../adapters/http/dashboard/wallets/wallets.tsx';
import { webhookPages } from '../../../adapters/http/dashboard/webhooks/webhook.tsx';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import { dashboardHeaders } from '../../../adapters/http/security-headers.ts';
import type { Endpoint, OwnSurface } from '../../../adapters/http/surface.ts';
import { createCookies } from '../../../adapters/http/visitor/cookies.ts';
import { findSession, publicFrame as frameOfPublicPages } from '../../../adapters/http/visitor/frame-of.ts';
import { needingSeller } from '../../../core/marketplace/selling-policy.ts';
import { clock, config, fileServing, setting } from '../chosen.ts';
import { listOf, type Needs, type Part, part, together } from '../part.ts';
import { accountTools, addresses, clientAddress, sheetTools, uploadLimits } from './account-api.ts';
import * as people from './accounts.ts';
import { pictures, printSheet } from './files.ts';
import { sellerLicenses, sellerStrays, sellingUsage } from './licensing.ts';
import { mails, notifications, sendsMail } from './mail.ts';
import {
  deployments,
  marketplace,
  productOffers,
  products,
  productTemplates,
  questions,
  ratings,
  reviewers,
  sellerPages,
  sellerProducts,
  sellerReleaseCodes,
  setAdapters,
  setBundle,
  showContents,
  soldDeployments,
  soldPlans,
  storefront,
} from './marketplace.ts';
import { paymentSettings, within } from './payments.ts';
import {
  billing,
  boughtFiles,
  boughtLicenses,
  checkout,
  coupons,
  customerList,
  invoiceProfiles,
  orderList,
  orders,
  paymentClaims,
  purchases,
  readBoughtItems,
  renewing,
  rotateBoughtKey,
  sellerSubscriptions,
  sendBack,
  subscribing,
  undoSendBack,
  usdcPaying,
} from './purchases.ts';
import { briefOverview, listedOrders, listedProducts, ordersToDo } from './remembered.ts';
import { openSandbox } from './sandbox.ts';
import { secretBox } from './secrets.ts';
import { nowSet, siteLook, siteSettings } from './settings.ts';
import { fileLedger, idempotencyStore, licenseInstances, productStore } from './sql.ts';
import { showLaunch, system } from './system.ts';
import { usdcClaiming, wallets } from './usdc.ts';
import { webhooks } from './webhooks.ts';

/** Whether somebody has products, or can have some. */
const isSeller = part(
  ({ policy, products }): DashboardTools['sells'] =>
    async ({ login }) =>
      needingSeller(policy(), login) === undefined || (await products.list({ ownerId: login.id }, 0, 1)).total > 0,
  { policy: nowSet('selling'), products: productStore },
);

const baseUrl = setting('BASE_URL');
export const cookies = part(({ baseUrl }) => createCookies(baseUrl.startsWith('https:')), { baseUrl });

const tools = part(
  ({
    cookies,
    look,
    sells,
    sendsMail,
    sessions,
    notifications,
    clientAddress,
    clock,
    box,
    accountTools,
    uploadLimits,
    serving,
    orders,
    ordersToDo,
    products,
    reviewers,
  }): DashboardTools => ({
    sessions,
    readForm: accountTools.readForm,
    uploadLimits,
    clientAddress,
    homeOf: createHomeOf(products),
    clock,
    box,
    cookies,
    unread: ({ login }) => notifications.countUnread(login.id),
    waitingOrders: ({ login }) => orders.countWaiting({ kind: 'user', user: login }),
    ordersToDo: ({ login }, mode) => ordersToDo({ kind: 'user', user: login }, mode),
    waitingProducts: ({ login }) => reviewers.countWaiting({ kind: 'user', user: login }),
    sells,
    site: look,
    images: serving.origin,
    get sendsMail() {
      return sendsMail();
    },
  }),
  {
    cookies,
    look: siteLook,
    sells: isSeller,
    sendsMail,
    sessions: people.sessions,
    notifications,
    clientAddress,
    clock,
    box: secretBox,
    accountTools,
    uploadLimits,
    serving: fileServing,
    orders: orderList,
    ordersToDo,
    products: productStore,
    reviewers,
  },
);
export const publicFrame = part(({ tools }) => frameOfPublicPages(tools), { tools });

/** Makes the pages of one room, from the tools of all pages and what these need of their own. */
function pages<Own>(make: (tools: DashboardTools, own: Own) => Endpoint[], needs: Needs<Own>): Part<Endpoint[]> {
  return part(({ tools, own }) => make(tools, own), { tools, own: together(needs) });
}

const { accounts, sessions } = people;
const once = part(({ store, clock }) => createOnce(store, clock), { store: idempotencyStore, clock });
const ofUse = { usage: sellingUsage, strays: sellerStrays };
const ofProducts = {
  products: sellerProducts,
  ...{ setAdapters, setBundle, ratings, reviewers, checkout, storefront, accounts, addresses, baseUrl },
  sellers: sellerPages,
  orders: orderList,
  templates: productTemplates,
  codes: sellerReleaseCodes,
};

/** All pages. If two paths match a request, the first one answers it. */
const endpoints = listOf([
  pages((tools, { signIn, sessions }) => signInPages(tools, signIn, sessions), { signIn: people.signIn, sessions }),
  pages((tools, { signUp, policy }) => newAccountPages(tools, signUp, policy), {
    signUp: people.signUp,
    policy: nowSet('sign_up'),
  }),
  pages((tools, { credentials }) => recoveryPages(tools, credentials), { credentials: people.credentials }),
  pages(sandboxPages, { open: openSandbox, sessions, baseUrl, licenseApi: setting('VERIFY_URL') }),
  pages((tools, { devices }) => devicePages(tools, devices), { devices: people.deviceLogins }),
  pages(planPages, {
    accounts,
    usage: people.accountUsage,
    contentsOf: people.planContents,
    files: fileLedger,
    sold: soldPlans,
    once,
    baseUrl,
  }),
  pages(securityPages, {
    sessions,
    naming: people.naming,
    credentials: people.credentials,
    secondFactor: people.secondFactor,
  }),
  pages((tools, { notifications }) => notificationPages(tools, notifications), { notifications }),
  pages((tools, { overview, ...orders }) => overviewPages(tools, overview, orders), {
    overview: briefOverview,
    orders,
    list: listedOrders,
    profiles: invoiceProfiles,
  }),
  pages(sellerProductPages, { ...ofProducts, ...ofUse, offers: productOffers, marketplace, once }),
  pages(moderationPages, { ...ofProducts, administration: products, contents: showContents }),
  pages(licensePages, {
    licenses: sellerLicenses,
    domains: part(({ licenses }) => licenses.domains, { licenses: sellerLicenses }),
    ...{ ...ofUse, instances: licenseInstances, deployments: soldDeployments, orders: orderList },
    ...{ products: listedProducts, accounts, sheets: sheetTools, once },
  }),
  pages(deploymentPages, { sold: soldDeployments, deployments, products: listedProducts, accounts }),
  pages(profilePages, { profiles: invoiceProfiles }),
  pages(walletPages, { wallets }),
  pages(orderPages, {
    ...{ orders, sendBack, undoSendBack, list: orderList, subscriptions: sellerSubscriptions, customers: customerList },
    ...{ wallets, usdc: usdcPaying, claims: paymentClaims, products: listedProducts, accounts, once },
    print: printSheet,
  }),
  pages((tools, own) => couponPages(tools, own), { coupons, products: sellerProducts, once, baseUrl }),
  pages(webhookPages, { webhooks, products: sellerProducts, once }),
  pages(
    (tools, { config, settings, store, clock, ...own }) =>
      buyingPages(tools, {
        ...own,
        replay: createReplay(store, clock),
        get instructions() {
          return settings.manual?.instructions;
        },
        get payPages() {
          return settings.provider && payPagesOf(config.STRIPE_API_URL);
        },
        baseUrl: config.BASE_URL,
        licenseApi: config.VERIFY_URL,
      }),
    {
      config,
      settings: paymentSettings,
      checkout,
      renewing,
      subscribing,
      ...{ purchases, usdc: usdcPaying, claiming: usdcClaiming },
      billing,
      print: printSheet,
      licenses: boughtLicenses,
      readItems: readBoughtItems,
      rotateKey: rotateBoughtKey,
      files: boughtFiles,
      deployments,
      questions,
      ratings,
      store: idempotencyStore,
      clock,
    },
  ),
  pages(userPages, {
    ...{ users: people.userAdministration, accounts, sessions, baseUrl },
    invite: part(({ signUp }) => signUp.invite, { signUp: people.signUp }),
  }),
  pages((tools, { launch }) => launchPages(tools, launch), { launch: showLaunch }),
  pages(settingPages, {
    ...{ settings: siteSettings, wallets },
    pictures,
    stripe: part(
      ({ settings }) =>
        () =>
          settings.provider,
      { settings: paymentSettings },
    ),
    within,
    orders: orderList,
    baseUrl,
  }),
  pages(systemPages, { trail: people.auditTrail, mails, system }),
]);

/** The pages for people who sign in. */
export const dashboardSurface = part(
  ({ config, tools, frameOf, endpoints }): OwnSurface => ({
    name: 'dashboard',
    endpoints: endpoints.flat(),
    headers: dashboardHeaders,
    formsOf: new URL(config.BASE_URL).origin,
    authenticate: (ctx) => findSession(tools, ctx),
    quotaOf: perAddress('dashboard', tools.clientAddress, config.RATE_LIMIT_PAGES),
    renderFailure: failurePage(tools.site, frameOf),
  }),
  { config, tools, frameOf: publicFrame, endpoints },
);

/** The origin of the pages for paying. An imitation of Stripe serves them itself. */
function payPagesOf(api: string): string {
  const { origin } = new URL(api);
  return origin === 'https://api.stripe.com' ? 'https://checkout.stripe.com' : origin;
}
