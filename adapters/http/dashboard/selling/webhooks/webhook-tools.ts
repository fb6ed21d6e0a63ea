import type { ShownWebhook } from '../../../../../core/selling/find-webhook.ts';
import type { SellerProducts } from '../../../../../core/selling/products.ts';
import type { Webhooks } from '../../../../../core/selling/webhooks.ts';
import type { Endpoint } from '../../../../../core/webhooks/endpoint.ts';
import type { Once } from '../../once.ts';
import { orFail } from '../../or-fail.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn, sellingPath } from '../selling-page.tsx';

/** The dependencies of the pages about webhooks. */
export interface WebhookTools {
  readonly webhooks: Webhooks;
  readonly products: Pick<SellerProducts, 'list' | 'show'>;
  readonly once: Once;
}

/** The path of all pages about webhooks, for endpoints. */
export const base = '/selling/:mode/webhooks';

/** The webhook in the path. Throws `not_found` if the person cannot reach it. */
export async function webhookIn(
  { webhooks }: Pick<WebhookTools, 'webhooks'>,
  visit: SignedInVisit,
): Promise<ShownWebhook> {
  return orFail(await webhooks.show(visit.params.id ?? '', sellerIn(visit)));
}

/** The path of a webhook's page, from the site's first page. `rest` is that of a page below it. */
export function pathOf(visit: Pick<SignedInVisit, 'params'>, { id }: Pick<Endpoint, 'id'>, rest = ''): string {
  return sellingPath(visit, `webhooks/${id}${rest}`);
}
