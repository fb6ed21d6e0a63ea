import { writeCustomers } from '../../../adapters/csv/customer-sheet.ts';
import { writeOrders } from '../../../adapters/csv/order-sheet.ts';
import { signLink } from '../../../adapters/files/signed-link.ts';
import { madeAtFirstCall } from '../../../adapters/once-made.ts';
import { checkTaxId } from '../../../adapters/tax-ids/vat.ts';
import type { OrderId } from '../../../core/id.ts';
import { createInvoiceProfiles } from '../../../core/invoices/invoice-profiles.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { PurchaseCheck } from '../../../core/ports/purchase-check.ts';
import { createBilling } from '../../../core/purchases/billing.ts';
import { createBoughtFiles } from '../../../core/purchases/bought-files.ts';
import { createReadBoughtItems } from '../../../core/purchases/bought-items.ts';
import { createRotateBoughtKey } from '../../../core/purchases/bought-keys.ts';
import { createBoughtLicenses } from '../../../core/purchases/bought-license.ts';
import { createPurchases } from '../../../core/purchases/buying.ts';
import { createCheckout } from '../../../core/purchases/checkout.ts';
import { anyOf, boughtHere, createClaimOrders } from '../../../core/purchases/claim.ts';
import { createReceivePaymentEvent } from '../../../core/purchases/payment-events.ts';
import { createRenewing } from '../../../core/purchases/renewing.ts';
import { createLearn, createSettleOrder, type OrderPorts } from '../../../core/purchases/settle.ts';
import { createSubscribing } from '../../../core/purchases/subscribing.ts';
import { isRefused } from '../../../core/refusal.ts';
import { createCoupons } from '../../../core/selling/coupons.ts';
import { createCustomerList } from '../../../core/selling/customers.ts';
import { createOrderList } from '../../../core/selling/order-list.ts';
import { createOrders } from '../../../core/selling/orders.ts';
import { createPaymentClaims } from '../../../core/selling/payment-claims.ts';
import { createFindRecorders, createMayRecord } from '../../../core/selling/recording.ts';
import { createSendBack } from '../../../core/selling/sent-back.ts';
import { createSellerSubscriptions } from '../../../core/selling/subscriptions.ts';
import { createUndoSendBack } from '../../../core/selling/undo-sent-back.ts';
import { createUsdcPaying } from '../../../core/usdc/paying.ts';
import { createTellUsdcOrder } from '../../../core/usdc/telling.ts';
import { clock, config, linkLifetime, log, secrets, setting } from '../chosen.ts';
import { observedPurchases } from '../observed.ts';
import { part, together } from '../part.ts';
import { chains, keccak } from './chain.ts';
import { ofProofs } from './licensing.ts';
import { rateLimiter } from './limits.ts';
import { writeLetter } from './mail.ts';
import { instruments } from './observing.ts';
import { paymentSettings, within } from './payments.ts';
import * as sql from './sql.ts';

const mayRecord = part(({ by, store }) => createMayRecord(by, store), {
  by: setting('MANUAL_PAYMENTS_BY'),
  store: sql.orderStore,
});

const ofOrders = {
  store: sql.orderStore,
  settings: paymentSettings,
  within,
  clock,
  secrets,
  limiter: rateLimiter,
  write: writeLetter,
  administrators: part(
    ({ accounts }): OrderPorts['administrators'] =>
      () =>
        accounts.administrators(),
    { accounts: sql.accountStore },
  ),
  recorders: part(({ mayRecord, accounts }) => createFindRecorders(mayRecord, accounts), {
    mayRecord,
    accounts: sql.accountStore,
  }),
  isProved: part(
    ({ logins }): OrderPorts['isProved'] =>
      async ({ userId, email }) => {
        const login = userId === null ? undefined : await logins.find(userId);
        return login?.email === email && login.emailVerifiedAt !== null;
      },
    { logins: sql.loginStore },
  ),
  isSuspended: part(
    ({ accounts }): OrderPorts['isSuspended'] =>
      async (seller) =>
        (await accounts.findById(seller))?.suspendedAt != null,
    { accounts: sql.accountStore },
  ),
};
export const orderPorts = together<OrderPorts>(ofOrders);
export const settleOrder = part(createSettleOrder, ofOrders);
export const claimOrders = part(createClaimOrders, {
  store: sql.orderStore,
  logins: sql.loginStore,
  clock,
  secrets,
});

/** How buyers pay in USDC. */
export const usdcPaying = part(createUsdcPaying, {
  ...{ store: sql.usdcStore, claims: sql.usdcClaims, wallets: sql.walletStore, chains, keccak, secrets, clock },
  limiter: rateLimiter,
  isSuspended: ofOrders.isSuspended,
});
export const tellUsdcOrder = part(
  ({ orders, softLimit, ...others }) =>
    createTellUsdcOrder({
      ...{ orders: orders.store, learn: createLearn(orders), softLimit: softLimit * 100 },
      ...others,
    }),
  { store: sql.usdcStore, clock, orders: orderPorts, softLimit: setting('USDC_SOFT_LIMIT') },
);
const ofBuyers = { ...ofOrders, settle: settleOrder, usdc: usdcPaying };
export const checkout = part(createCheckout, {
  ...ofBuyers,
  products: sql.productStore,
  coupons: sql.couponStore,
});
export const renewing = part(createRenewing, {
  ...ofBuyers,
  products: sql.productStore,
  licenses: sql.licenseStore,
});
export const subscribing = part(createSubscribing, ofBuyers);
export const billing = part(({ store, limiter, clock }) => createBilling({ store, limiter, clock, checkTaxId }), {
  store: sql.orderStore,
  limiter: rateLimiter,
  clock,
});
export const invoiceProfiles = part(({ store, clock }) => createInvoiceProfiles({ store, clock, checkTaxId }), {
  store: sql.invoiceProfileStore,
  clock,
});
export const purchases = part(createPurchases, { ...ofBuyers, claim: claimOrders });
export const boughtLicenses = part(createBoughtLicenses, {
  ...ofProofs,
  store: sql.licenseStore,
  search: sql.licenseSearch,
  products: sql.productStore,
  clock,
});
export const readBoughtItems = part(createReadBoughtItems, {
  licenses: sql.licenseStore,
  products: sql.productStore,
  clock,
});
export const rotateBoughtKey = part(createRotateBoughtKey, {
  aliases: sql.licenseAliases,
  clock,
  secrets,
  write: writeLetter,
});
export const boughtFiles = part(createBoughtFiles, {
  products: sql.productStore,
  templates: sql.templateStore,
  orders: sql.orderStore,
  licenses: sql.licenseStore,
  linkTo: part(
    ({ signer, baseUrl }) =>
      (order: OrderId, key: string, filename: string, until: Instant) =>
        signLink(signer, baseUrl, key, filename, until, { order }),
    { signer: sql.signer, baseUrl: setting('BASE_URL') },
  ),
  clock,
  linkLifetime,
});
export const orderList = part((ports) => createOrderList({ ...ports, writeSheet: writeOrders }), {
  store: sql.orderStore,
  products: sql.productStore,
  log: sql.auditLog,
  mayRecord,
});
export const coupons = part(createCoupons, {
  store: sql.couponStore,
  products: sql.productStore,
  secrets,
  clock,
});
export const customerList = part((ports) => createCustomerList({ ...ports, writeSheet: writeCustomers }), {
  store: sql.customers,
});
export const orders = part(createOrders, {
  ...ofOrders,
  list: orderList,
  settle: settleOrder,
  mayRecord,
});
export const sendBack = part(createSendBack, {
  ...{ list: orderList, orders: sql.orderStore, store: sql.usdcStore, wallets: sql.walletStore },
  ...{ chains, keccak, tell: tellUsdcOrder, limiter: rateLimiter, clock },
});
export const undoSendBack = part(createUndoSendBack, {
  ...{ list: orderList, orders: sql.orderStore, store: sql.usdcStore, tell: tellUsdcOrder, clock },
});
export const paymentClaims = part(createPaymentClaims, {
  ...{ claims: sql.usdcClaims, orders: sql.orderStore, tell: tellUsdcOrder, write: writeLetter, clock },
  ...{ limiter: rateLimiter, isProved: ofOrders.isProved },
});
export const sellerSubscriptions = part(createSellerSubscriptions, {
  list: orderList,
  store: sql.orderStore,
  subscribing,
});

export const purchaseCheck = part(
  ({ config, ledger, orders, claim, log, instruments }): PurchaseCheck => {
    const { PURCHASE_CHECK_URL: url, PURCHASE_CHECK_TOKEN: token } = config;
    const here = boughtHere(orders, claim);
    if (url === '') return observedPurchases(anyOf(ledger, here), instruments);
    const has = madeAtFirstCall(async () => {
      const { createRemotePurchaseCheck } = await import('../../../adapters/purchases/remote.ts');
      return createRemotePurchaseCheck({ url, token, log }).has;
    });
    return observedPurchases(anyOf(here, { has }), instruments);
  },
  { config, ledger: sql.purchaseLedger, orders: sql.orderStore, claim: claimOrders, log, instruments },
);

export const receivePaymentEvent = part(
  ({ log, ...ports }): ReturnType<typeof createReceivePaymentEvent> => {
    const receive = createReceivePaymentEvent(ports);
    return async (body, signature) => {
      const heard = await receive(body, signature);
      if (!isRefused(heard) && heard.kind === 'unknown payment') {
        log.info({ payment: heard.id }, 'an event about a payment of no order');
      }
      return heard;
    };
  },
  { store: sql.orderStore, settings: paymentSettings, within, clock, log },
);
