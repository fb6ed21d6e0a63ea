import { ContainerModule } from 'inversify';
import { writeOrders } from '../../../adapters/csv/order-sheet.ts';
import { createBoughtFiles } from '../../../core/purchases/bought-files.ts';
import { createBoughtLicenses } from '../../../core/purchases/bought-license.ts';
import { createPurchases } from '../../../core/purchases/buying.ts';
import { createCheckout } from '../../../core/purchases/checkout.ts';
import { createClaimOrders } from '../../../core/purchases/claim.ts';
import { createSettleOrder } from '../../../core/purchases/settle.ts';
import { createOrderList } from '../../../core/selling/order-list.ts';
import { createOrders } from '../../../core/selling/orders.ts';
import { t } from '../tokens.ts';

/** Orders: what buyers and sellers do with them, and what follows from payments. */
export const purchases = new ContainerModule(({ bind }) => {
  bind(t.orderPorts).toResolvedValue(
    (store, { provider }, clock, secrets, write, accounts) => ({
      store,
      provider,
      clock,
      secrets,
      write,
      administrators: () => accounts.administrators(),
      isSuspended: async (seller) => (await accounts.findById(seller))?.suspendedAt != null,
    }),
    [t.orderStore, t.paymentSettings, t.clock, t.secrets, t.writeLetter, t.accountStore],
  );
  bind(t.settleOrder).toResolvedValue(createSettleOrder, [t.orderPorts]);
  bind(t.checkout).toResolvedValue(
    (ports, products, settings, settle, limiter) => createCheckout({ ...ports, products, settings, settle, limiter }),
    [t.orderPorts, t.productStore, t.paymentSettings, t.settleOrder, t.rateLimiter],
  );
  bind(t.claimOrders).toResolvedValue(
    (store, logins, clock, secrets) => createClaimOrders({ store, logins, clock, secrets }),
    [t.orderStore, t.loginStore, t.clock, t.secrets],
  );
  bind(t.purchases).toResolvedValue(
    (ports, claim, settings, settle, limiter) => createPurchases({ ...ports, claim, settings, settle, limiter }),
    [t.orderPorts, t.claimOrders, t.paymentSettings, t.settleOrder, t.rateLimiter],
  );
  bind(t.boughtLicenses).toResolvedValue(createBoughtLicenses, [
    t.licenseStore,
    t.licenseSearch,
    t.productStore,
    t.clock,
  ]);
  bind(t.boughtFiles).toResolvedValue(
    (products, templates, files, clock, config) =>
      createBoughtFiles({ products, templates, files, clock, linkLifetime: config.DOWNLOAD_LINK_LIFETIME * 1000 }),
    [t.productStore, t.templateStore, t.files, t.clock, t.config],
  );
  bind(t.orderList).toResolvedValue(
    (store, products, log) => createOrderList({ store, products, log, writeSheet: writeOrders }),
    [t.orderStore, t.productStore, t.auditLog],
  );
  bind(t.orders).toResolvedValue(
    (ports, settle, list) => createOrders({ ...ports, settle }, list),
    [t.orderPorts, t.settleOrder, t.orderList],
  );
});
