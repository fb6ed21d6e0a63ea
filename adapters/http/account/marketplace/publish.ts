import { z } from 'zod';
import type { Marketplace } from '../../../../core/marketplace/marketplace.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { Addresses } from '../../addresses.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { listing, toListing } from './listing.ts';
import { marketplaceUrl, productItem } from './product.ts';
import { tag } from './tag.ts';

const published = z.object({
  success: z.literal(true),
  product: productItem.pick({ id: true, slug: true, title: true, status: true, livemode: true }),
  marketplace_url: marketplaceUrl,
});

export function publish(tools: AccountTools, marketplace: Marketplace, addresses: Addresses): Route {
  return accountRoute(tools, {
    id: 'publish',
    tag,
    summary: 'Publishes a product, which then waits for approval',
    method: 'post',
    paths: ['/api/marketplace/publish'],
    scope: 'marketplace:write',
    isIdempotent: true,
    form: {
      fields: listing,
      files: {
        product_zip: { kinds: ['zip'], description: 'The product.' },
        thumbnail: { kinds: ['png', 'jpg'], description: 'A PNG or JPG image.' },
      },
    },
    answer: published,
    refusals: ['quota_exceeded'],
    room: marketplace.room,
    async handle({ caller, body, files }): Promise<z.output<typeof published> | Refused<'quota_exceeded'>> {
      const product = await marketplace.publish(caller, toListing(body), files.product_zip, files.thumbnail);
      if (isRefused(product)) return product;
      const { id, slug, title, status, isLive } = product;
      return {
        success: true,
        product: { id, slug, title, status, livemode: isLive },
        marketplace_url: addresses.product(product),
      };
    },
  });
}
