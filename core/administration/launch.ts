import { type Actor, needing } from '../accounts/role.ts';
import { baseCurrency } from '../currency.ts';
import type { Catalogue } from '../ports/catalogue.ts';
import type { InvoiceProfileStore } from '../ports/invoice-profile-store.ts';
import type { OrderStore } from '../ports/order-store.ts';
import { orderStates, orderTable } from '../purchases/order.ts';
import type { UsdcWay } from '../purchases/usdc-way.ts';
import { type PaymentSettings, usualPrice, waysToPay } from '../purchases/ways-to-pay.ts';
import type { Refused } from '../refusal.ts';
import type { CurrentSettings } from '../site/current-settings.ts';
import { siteSettings } from '../site/setting.ts';

/** What a site needs before it opens, in the order in which one does it: first what leads to a sale, then what strangers need. */
export const launchSteps = ['name', 'pay', 'product', 'purchase', 'invoices', 'mail', 'https', 'backup'] as const;
export type LaunchStep = (typeof launchSteps)[number];

/** Which steps are done. */
export type Launch = Readonly<Record<LaunchStep, boolean>>;

/** Returns `undefined` if all steps are done, or an administrator has hidden the list. Needs `settings:manage`. */
export type ShowLaunch = (actor: Actor) => Promise<Launch | undefined | Refused<'forbidden'>>;

interface LaunchPorts {
  readonly current: Pick<CurrentSettings, 'get'>;
  readonly payments: PaymentSettings;
  readonly catalogue: Pick<Catalogue, 'newestId'>;
  readonly orders: Pick<OrderStore, 'search'>;
  readonly profiles: Pick<InvoiceProfileStore, 'findOf'>;
  readonly usdc: Pick<UsdcWay, 'takes'>;
  /** The public address of the site. */
  readonly baseUrl: string;
}

const paidStates = orderStates.filter((state) => orderTable[state].stage === 'paid');

export function createShowLaunch({
  current,
  payments,
  catalogue,
  orders,
  profiles,
  usdc,
  baseUrl,
}: LaunchPorts): ShowLaunch {
  const hasPaid = async (isLive: boolean) =>
    (await orders.search({ isLive, states: paidStates, limit: 1 })).items.length > 0;
  return async (actor) => {
    const refused = needing(actor, 'settings:manage');
    if (refused) return refused;
    const { site_name: name, mail_server: mailServer, backups, checklist } = current.get();
    if (checklist === 'hide') return undefined;
    const [newest, profile, takesUsdc, ...paid] = await Promise.all([
      catalogue.newestId(),
      profiles.findOf(null),
      usdc.takes({ ownerId: null, isLive: true }),
      ...[hasPaid(true), hasPaid(false)],
    ]);
    const launch = {
      name: name !== siteSettings.site_name.fallback,
      pay: waysToPay(payments, { price: usualPrice, currency: baseCurrency, isLive: true, takesUsdc }).length > 0,
      mail: mailServer !== undefined,
      https: baseUrl.startsWith('https:'),
      product: newest > 0,
      invoices: profile !== undefined,
      purchase: paid.some(Boolean),
      backup: backups === 'yes',
    } satisfies Launch;
    return Object.values(launch).every(Boolean) ? undefined : launch;
  };
}
