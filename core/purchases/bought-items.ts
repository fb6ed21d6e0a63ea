import type { DomainName } from '../licensing/domain-name.ts';
import { type License, type LicenseStatus, statusOf } from '../licensing/license.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isUsable, type Order } from './order.ts';

/** What an order has bought, in short. */
export interface BoughtItem {
  readonly order: Order;
  /** `undefined` until the order is paid, and for an order that renews or upgrades a license. */
  readonly license: (License & { readonly status: LicenseStatus }) | undefined;
  /** The newest domains that stay until somebody removes them. */
  readonly domains: readonly DomainName[];
  /** The number of the newest version that can be downloaded now: see `BoughtFiles`. */
  readonly version: string | undefined;
  /** Whether the order has a template to download. */
  readonly hasTemplate: boolean;
}

/** Reads what many orders have bought, or many parts of bundles, in their order. Needs two statements, however many they are. */
export type ReadBoughtItems = (orders: readonly Order[]) => Promise<readonly BoughtItem[]>;

interface BoughtItemPorts {
  readonly licenses: Pick<LicenseStore, 'findAll'>;
  readonly products: Pick<ProductStore, 'newestFor'>;
  readonly clock: Clock;
}

/** So many domains are named. All are on the page of the order. */
const shownDomains = 3;

export function createReadBoughtItems({ licenses, products, clock }: BoughtItemPorts): ReadBoughtItems {
  return async (orders) => {
    const keys = orders.flatMap(({ licenseKey }) => licenseKey ?? []);
    const found = new Map((await licenses.findAll(keys, shownDomains)).map((one) => [one.license.key, one]));
    const recordOf = ({ licenseKey }: Order) => (licenseKey === null ? undefined : found.get(licenseKey));
    const withFiles = orders.filter(hasFiles);
    const newest = await products.newestFor(
      withFiles.map((order) => ({
        productId: order.productId,
        agreed: order.agreed.version,
        updatesUntil: recordOf(order)?.license.updatesUntil ?? null,
      })),
    );
    const versions = new Map(withFiles.map((order, at) => [order, newest[at]]));
    const now = clock.now();
    return orders.map((order) => {
      const { license, domains = [] } = recordOf(order) ?? {};
      return {
        order,
        license: license && { ...license, status: statusOf(license, now) },
        domains,
        version: versions.get(order),
        hasTemplate: order.agreed.templateId !== null && isUsable(order),
      };
    });
  };
}

/** The files are those of the order that bought the license, and not of its renewals. */
function hasFiles(order: Order): boolean {
  return isUsable(order) && order.renews === null;
}
