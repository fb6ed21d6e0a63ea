import { z } from 'zod';
import {
  isOfferSlug,
  mostGraceDays,
  type Offer,
  type OfferEdit,
  offerKinds,
  offerLimits,
  type Recurrence,
  usualRecurrence,
} from '../../../../core/marketplace/offers.ts';
import { formatPrice } from '../../../../core/marketplace/product.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { ProductOffers } from '../../../../core/selling/product-offers.ts';
import { entitlementList, missingOr, text, trimmed, wholeNumber } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered } from '../../route.ts';
import { rights } from '../licenses/fields.ts';
import {
  choiceEdit,
  choiceItem,
  pricesEdit,
  pricesItem,
  renderChoice,
  renderPrices,
} from '../marketplace/price-list.ts';
import { listing } from '../marketplace/routes.ts';
import { termsEdit, termsItem } from '../marketplace/terms.ts';
import { sellerOf } from '../seller.ts';
import { params, reading, writing } from './product.ts';

const kinds =
  '`once`: a license, paid once. `trial`: a license for some days, for nothing; buyers can then buy it and keep key and domains. `renewal`: more time for a license. `upgrade`: other terms for a license, for the price less the unused part of what was paid for it. `subscription`: a license that is paid again for each interval.';

/** The terms of an offer, as everybody sees them. */
export const offerTerms = {
  slug: z.string().meta({ example: 'team' }),
  name: z.string().meta({ example: 'Team' }),
  kind: z.enum(offerKinds).meta({ description: kinds }),
  price: z.string().meta({ description: 'With two decimals; `0.00` is free.', example: '149.00' }),
  currency: z.literal('USD'),
  prices: pricesItem,
  pay_what_you_want: choiceItem,
  max_domains: termsItem.shape.max_domains,
  duration: termsItem.shape.duration,
  updates_months: z.int().nullable().meta({
    description: 'The months in which a license gets new releases. Null: as long as it is valid.',
    example: 12,
  }),
  entitlements: entitlementList,
  interval_months: z.int().nullable().meta({
    description: 'Only of a subscription: the months that each payment pays.',
    example: null,
  }),
  grace_days: z.int().nullable().meta({
    description: 'Only of a subscription: the days in which a license still works if the next payment is late.',
    example: null,
  }),
  perpetual_after: z.int().nullable().meta({
    description:
      'Only of a subscription: the paid months after which a license never expires. Null: it always expires.',
    example: null,
  }),
};

const offerItem = z
  .object({
    ...offerTerms,
    listed: z.boolean().meta({ description: 'False: it is bought only by its link.', example: true }),
    position: z.int().meta({ description: 'Its place in the list, from 1 on.', example: 1 }),
    from_offer: z.string().nullable().meta({
      description:
        'Only for a renewal or an upgrade: the slug of the offer that a license must have been bought by. Null: any.',
      example: null,
    }),
  })
  .meta({ id: 'AccountProductOffer' });

const monthsFault = `It must be a whole number from 1 to ${offerLimits.months}, or null.`;
const given = {
  name: trimmed(offerLimits.name).meta({ example: 'Team' }),
  price: listing.shape.price,
  prices: pricesEdit.optional(),
  pay_what_you_want: choiceEdit.optional(),
  max_domains: termsEdit.shape.max_domains,
  duration: termsEdit.shape.duration,
  updates_months: z
    .int(monthsFault)
    .min(1, monthsFault)
    .max(offerLimits.months, monthsFault)
    .nullable()
    .optional()
    .meta({ description: offerTerms.updates_months.meta()?.description ?? '', example: 12 }),
  entitlements: rights.entitlements,
  listed: z.boolean('It must be true or false.').optional().meta({ description: 'True by default.', example: true }),
  position: z
    .int(missingOr('It must be a whole number.'))
    .min(1, 'It must be at least 1.')
    .max(offerLimits.offers, `It must be at most ${offerLimits.offers}.`)
    .optional()
    .meta({ description: 'Its place in the list, from 1 on; the last one by default.', example: 1 }),
  interval_months: wholeNumber(1, offerLimits.interval)
    .nullable()
    .optional()
    .meta({
      description: `Only of a subscription: the months that each payment pays. By default ${usualRecurrence.months}.`,
      example: null,
    }),
  grace_days: wholeNumber(1, mostGraceDays)
    .nullable()
    .optional()
    .meta({
      description: `Only of a subscription: the days in which a license still works if the next payment is late. By default ${usualRecurrence.graceDays}.`,
      example: null,
    }),
  perpetual_after: wholeNumber(1, offerLimits.months)
    .nullable()
    .optional()
    .meta({
      description: offerTerms.perpetual_after.meta()?.description ?? '',
      example: null,
    }),
  from_offer: text(offerLimits.slug).nullable().optional().meta({
    description: 'Only for a renewal or an upgrade: see the answer.',
    example: null,
  }),
};

const kind = z
  .enum(offerKinds, `It must be one of: ${offerKinds.join(', ')}.`)
  .optional()
  .meta({ description: `\`once\` by default. It never changes. ${kinds}`, example: 'once' });

const slug = text(offerLimits.slug)
  .refine(isOfferSlug, 'It must be lower-case letters and digits, with single hyphens between them.')
  .optional()
  .meta({ description: 'By default made from the name. It never changes.', example: 'team' });

const oneOffer = z.object({ success: z.literal(true), offer: offerItem });
const ofOffer = params.extend({ offer: text(200).meta({ description: 'The slug of the offer.', example: 'team' }) });

/** The offers of a product. */
export function offerRoutes(tools: AccountTools, offers: ProductOffers): Route[] {
  const path = '/api/products/:id/offers';
  return [
    accountRoute(tools, {
      id: 'list-product-offers',
      ...reading,
      summary: 'Lists the offers of a product, in the order of its page',
      description:
        'A product without listed offers is sold at its own `price` and `terms`. Buyers of an offer get a license with the terms of the offer.',
      method: 'get',
      paths: [path],
      params,
      answer: z.object({ success: z.literal(true), data: z.array(offerItem) }),
      refusals: ['not_found'],
      handle: ({ caller, params }) =>
        rendered(offers.list(params.id, sellerOf(caller)), (found) => ({
          success: true as const,
          data: found.map((one, index) => renderOffer(one, index + 1)),
        })),
    }),
    accountRoute(tools, {
      id: 'add-product-offer',
      ...writing,
      summary: 'Adds an offer to a product',
      description: `A product has at most ${offerLimits.offers} offers. For terms that you leave out: one domain, for ever. A trial is free and has a \`duration\`; a subscription has neither a \`duration\` nor \`updates_months\`: each payment pays both; a renewal or an upgrade is not free, and a renewal adds days, months of updates, or both.`,
      method: 'post',
      paths: [path],
      isIdempotent: true,
      params,
      body: z.strictObject({ slug, kind, ...given }),
      answer: oneOffer,
      refusals: ['not_found', 'conflict', 'validation_error'],
      async handle({ caller, params, body }) {
        const { slug, kind = 'once', name, price, prices, pay_what_you_want: leastPrices, position } = body;
        const {
          maxDomains = 1,
          duration = null,
          updatesMonths = null,
          entitlements = [],
          isListed = true,
          fromOffer = null,
          recurs: wanted,
        } = toEdit(body);
        const isRecurring = kind === 'subscription' || Object.values(wanted).some((value) => value != null);
        const recurs = isRecurring ? recurrenceOf(wanted) : null;
        const terms = { maxDomains, duration, updatesMonths, entitlements, isListed, fromOffer, recurs };
        const added = await offers.add(
          params.id,
          { slug, kind, name, price, prices, leastPrices, ...terms },
          sellerOf(caller),
          position,
        );
        return isRefused(added) ? added : answerWith(added);
      },
    }),
    accountRoute(tools, {
      id: 'change-product-offer',
      ...writing,
      summary: 'Changes the given fields of an offer',
      description: 'A change applies to later sales. Orders keep what they agreed on.',
      method: 'patch',
      paths: [`${path}/:offer`],
      params: ofOffer,
      body: z.strictObject(given).partial(),
      answer: oneOffer,
      refusals: ['not_found', 'conflict', 'validation_error'],
      handle: ({ caller, params, body }) =>
        rendered(offers.change(params.id, params.offer, toEdit(body), sellerOf(caller), body.position), answerWith),
    }),
    accountRoute(tools, {
      id: 'remove-product-offer',
      ...writing,
      summary: 'Removes an offer',
      description: 'Orders and licenses keep what was agreed. To keep an offer for those with its link, unlist it.',
      method: 'delete',
      paths: [`${path}/:offer`],
      params: ofOffer,
      answer: z.object({ success: z.literal(true) }),
      refusals: ['not_found', 'conflict'],
      handle: ({ caller, params }) =>
        rendered(offers.remove(params.id, params.offer, sellerOf(caller)), () => ({ success: true as const })),
    }),
  ];
}

function toEdit(body: z.output<z.ZodObject<{ [Name in keyof typeof given]: z.ZodOptional<(typeof given)[Name]> }>>) {
  return {
    name: body.name,
    price: body.price,
    prices: body.prices,
    leastPrices: body.pay_what_you_want,
    maxDomains: body.max_domains,
    duration: body.duration,
    updatesMonths: body.updates_months,
    entitlements: body.entitlements,
    isListed: body.listed,
    fromOffer: body.from_offer,
    recurs: {
      months: body.interval_months ?? undefined,
      graceDays: body.grace_days ?? undefined,
      perpetualAfter: body.perpetual_after,
    },
  } satisfies OfferEdit;
}

function answerWith({
  product,
  offer,
}: {
  readonly product: { readonly offers: readonly Offer[] };
  readonly offer: Offer;
}): z.output<typeof oneOffer> {
  return { success: true, offer: renderOffer(offer, product.offers.indexOf(offer) + 1) };
}

/** Renders the terms of an offer, for its seller and for buyers. */
export function renderOfferTerms(offer: Offer) {
  return {
    slug: offer.slug,
    name: offer.name,
    kind: offer.kind,
    price: formatPrice(offer.price),
    currency: 'USD' as const,
    prices: renderPrices(offer.prices),
    pay_what_you_want: renderChoice(offer),
    max_domains: offer.maxDomains,
    duration: offer.duration && { ...offer.duration },
    updates_months: offer.updatesMonths,
    entitlements: [...offer.entitlements],
    interval_months: offer.recurs?.months ?? null,
    grace_days: offer.recurs?.graceDays ?? null,
    perpetual_after: offer.recurs?.perpetualAfter ?? null,
  };
}

/** How a new subscription goes on. */
function recurrenceOf({ months, graceDays, perpetualAfter }: NonNullable<OfferEdit['recurs']>): Recurrence {
  return {
    months: months ?? usualRecurrence.months,
    graceDays: graceDays ?? usualRecurrence.graceDays,
    perpetualAfter: perpetualAfter ?? null,
  };
}

function renderOffer(offer: Offer, position: number): z.output<typeof offerItem> {
  return { ...renderOfferTerms(offer), listed: offer.isListed, position, from_offer: offer.fromOffer ?? null };
}
