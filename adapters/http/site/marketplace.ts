import type { Storefront } from '../../../core/marketplace/storefront.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { Addresses } from '../addresses.ts';
import type { Endpoint } from '../surface.ts';
import { renderPage } from '../ui/layout.tsx';
import { formPolicy } from '../ui/policy.ts';
import { sendPage } from '../ui/send-page.ts';
import type { FrameOf } from '../visitor/frame-of.ts';
import { MarketplacePage } from './marketplace-page.tsx';
import { chosenIn, placeIn, wishOf } from './marketplace-query.ts';

/** The dependencies of the marketplace page. */
export interface MarketplaceSite {
  readonly storefront: Pick<Storefront, 'list' | 'values'>;
  readonly addresses: Addresses;
  readonly frameOf: FrameOf;
  /** The public address of the site. */
  readonly url: string;
  /** The origin that serves the files, if it is not this server. */
  readonly origin?: string;
}

/** Full rows of two and of three cards. */
const perPage = 24;

/** `GET /marketplace` shows all products for sale. */
export function marketplaceEndpoint({ storefront, addresses, frameOf, url, origin }: MarketplaceSite): Endpoint {
  const policy = formPolicy(origin);
  return {
    id: 'marketplace',
    method: 'get',
    paths: ['/marketplace'],
    async respond(ctx) {
      const chosen = chosenIn(ctx.query);
      const wish = { ...wishOf(chosen), limit: perPage };
      const place = placeIn(ctx.query);
      const asked = await storefront.list({ ...wish, ...place });
      // An address with an invalid place shows the first page.
      const found = isRefused(asked) ? await storefront.list(wish) : asked;
      if (isRefused(found)) throw new Error(found.reason);
      const offers = await Promise.all(
        found.items.map(async (item) => ({ item, image: item.thumbnail && (await addresses.image(item.thumbnail)) })),
      );
      const page = MarketplacePage({
        frame: await frameOf(ctx),
        url: `${url}/marketplace`,
        chosen,
        values: await storefront.values(),
        offers,
        next: found.next,
        previous: found.previous,
        isFirst: Object.keys(place).length === 0,
      });
      sendPage(ctx, policy, renderPage(page));
    },
  };
}
