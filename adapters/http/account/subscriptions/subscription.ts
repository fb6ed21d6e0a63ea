import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import { subscriptionStatuses } from '../../../../core/ports/subscriptions.ts';
import { type Order, providers } from '../../../../core/purchases/order.ts';
import { subscribed } from '../../../../core/purchases/subscription.ts';
import { ofSubscription, termsOfSubscription } from '../../../webhook-body.ts';
import { endTime, timestamp } from '../../fields.ts';

/** The fields that buyers get as well as sellers. */
const terms = {
  status: z.enum(subscriptionStatuses).meta({
    description:
      '`past_due`: the last payment did not come in. `paused`: nothing is collected for the time being. `ended`: no payment will come any more.',
    example: 'active',
  }),
  is_cancelled: z.boolean().meta({ description: 'It ends with the time that is paid.', example: false }),
  paid_until: endTime,
  offer: z.string().meta({ description: 'The slug of the offer.', example: 'monthly' }),
  next_offer: z
    .string()
    .nullable()
    .meta({ description: 'The offer from the next payment on, if it is another one.', example: null }),
  amount: z.int().meta({ description: 'Each payment, in the smallest unit of the currency.', example: 900 }),
  currency: z.string().meta({ description: 'ISO 4217, in lower case.', example: 'usd' }),
  interval_months: z.int().meta({ description: 'The months that each payment pays.', example: 1 }),
};

/** The fields of a subscription, here and in events. */
export const subscriptionFields = {
  subscription_id: z.int().meta({ description: 'The id of its first order.', example: 1042 }),
  ...terms,
  provider: z.enum(providers).meta({ description: 'Who takes the money.', example: 'stripe' }),
  license_key: z.string().nullable().meta({ example: 'LIC-7H2K-9QWX-M4TB-C0VJ' }),
  buyer: z
    .object({ email: z.string(), name: z.string().nullable() })
    .meta({ example: { email: 'grace@example.com', name: 'Grace Hopper' } }),
};

/** A subscription as its seller sees it. */
export const subscriptionItem = z
  .object({
    ...subscriptionFields,
    product: z.object({ id: z.int(), title: z.string(), slug: z.string() }).meta({
      description: 'As it was when it was ordered.',
      example: { id: 7, title: 'Simple DEX', slug: 'simple-dex' },
    }),
    livemode: z.boolean().meta({ example: true }),
    created_at: timestamp,
  })
  .meta({ id: 'AccountSubscription' });

/** Throws if the order began no subscription. */
export function renderSubscription(order: Order): z.output<typeof subscriptionItem> {
  const found = subscribed(order);
  if (found === undefined) throw new Error(`Order ${order.id} has no subscription.`);
  return {
    ...ofSubscription(found),
    product: { id: order.productId, title: order.agreed.title, slug: order.agreed.slug },
    livemode: order.isLive,
    created_at: iso(order.createdAt),
  };
}

/** The subscription that an order began, as its buyer sees it. */
export const boughtSubscription = z
  .object(terms)
  .meta({ id: 'AccountBoughtSubscription', description: 'Only of the order that began it. Null if there is none.' });

export function renderBought(order: Order): z.output<typeof boughtSubscription> | null {
  const found = subscribed(order);
  return found === undefined ? null : termsOfSubscription(found);
}

/** The subscription that an order began, or whose payment it is. */
export const subscriptionOf = z.int().nullable().meta({
  description: 'The id of the order that began the subscription which it pays. Null if it pays none.',
  example: null,
});

export function renderSubscriptionOf({ id, subscription, cycleOf }: Order): number | null {
  return cycleOf ?? (subscription === null ? null : id);
}
