import { z } from 'zod';
import type { OfferedAs } from '../../../core/marketplace/offers.ts';
import { formatPrice, type Product } from '../../../core/marketplace/product.ts';
import { renderTerms, termsItem } from '../account/marketplace/product.ts';
import { offerTerms } from '../account/products/offers.ts';

/** A product of a bundle, as the bundle sells it. */
const content = z
  .object({
    slug: z.string().meta({ example: 'uniswap-style-dex' }),
    title: z.string().meta({ example: 'Uniswap-style DEX' }),
    price: z.string().meta({ description: 'Its own price, in US dollars.', example: '49.90' }),
    offer: z.string().nullable().meta({ description: 'The slug of its offer.', example: null }),
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

export function renderContent({ product, offer }: OfferedAs<Product>): z.output<typeof content> {
  const { slug, title, price, terms } = product;
  return {
    ...{ slug, title, price: formatPrice(price), offer: offer?.slug ?? null, terms: renderTerms(terms) },
    updates_months: offer?.updatesMonths ?? null,
    entitlements: [...(offer?.entitlements ?? [])],
  };
}
