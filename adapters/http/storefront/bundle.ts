import { z } from 'zod';
import { isSoldAlone } from '../../../core/marketplace/bundle.ts';
import type { OfferedAs } from '../../../core/marketplace/offers.ts';
import { formatPrice, type Product } from '../../../core/marketplace/product.ts';
import { renderTerms, termsItem } from '../account/marketplace/terms.ts';
import { offerTerms } from '../account/products/offers.ts';

/** A product of a bundle, as the bundle sells it. */
const content = z
  .object({
    slug: z.string().meta({ example: 'uniswap-style-dex' }),
    title: z.string().meta({ example: 'Uniswap-style DEX' }),
    price: z.string().nullable().meta({
      description: 'Its own price, in US dollars. Null: it is not sold alone at one price.',
      example: '49.90',
    }),
    offer: z.string().nullable().meta({
      description:
        'The slug of its offer. Null also for an offer that is not listed: only those with its link may buy it.',
      example: null,
    }),
    terms: termsItem,
    updates_months: offerTerms.updates_months,
    entitlements: offerTerms.entitlements,
  })
  .meta({ id: 'StorefrontBundledProduct' });

export const bundleItem = z.array(content).nullable().meta({
  description:
    'The products in a bundle that can be sold now, each with the terms of its license. Null: it is no bundle.',
  example: null,
});

/** Shows nothing about an offer that is not listed but the terms, as the pages do. */
export function renderContent(sold: OfferedAs<Product>): z.output<typeof content> {
  const { product, offer } = sold;
  const { slug, title, price, terms } = product;
  return {
    ...{ slug, title, price: isSoldAlone(sold) ? formatPrice(price) : null, terms: renderTerms(terms) },
    offer: offer?.isListed === true ? offer.slug : null,
    updates_months: offer?.updatesMonths ?? null,
    entitlements: [...(offer?.entitlements ?? [])],
  };
}
