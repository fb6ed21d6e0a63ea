import { ContainerModule } from 'inversify';
import { buyingPages } from '../../../adapters/http/dashboard/buying/buying-pages.ts';
import { createReplay } from '../../../adapters/http/dashboard/buying/replay.ts';
import { t } from '../tokens.ts';

/** The pages for buyers. */
export const buying = new ContainerModule(({ bind }) => {
  bind(t.buyingPages).toResolvedValue(
    (tools, config, settings, checkout, purchases, licenses, files, store, clock) =>
      buyingPages(tools, {
        checkout,
        purchases,
        licenses,
        files,
        replay: createReplay(store, clock),
        instructions: settings.manual?.instructions,
        payPages: settings.provider && payPagesOf(config.STRIPE_API_URL),
        baseUrl: config.BASE_URL,
      }),
    [
      t.dashboardTools,
      t.config,
      t.paymentSettings,
      t.checkout,
      t.purchases,
      t.boughtLicenses,
      t.boughtFiles,
      t.idempotencyStore,
      t.clock,
    ],
  );
});

/** The origin of the pages for paying. An imitation of Stripe serves them itself. */
function payPagesOf(api: string): string {
  const { origin } = new URL(api);
  return origin === 'https://api.stripe.com' ? 'https://checkout.stripe.com' : origin;
}

/** Whether a path is that of the page on which people buy a product. The rest of the marketplace is the site's. */
export function isBuyPath(path: string): boolean {
  const [area, slug, act, ...more] = path.toLowerCase().split('/').filter(Boolean);
  return area === 'marketplace' && slug !== undefined && act === 'buy' && more.length === 0;
}
