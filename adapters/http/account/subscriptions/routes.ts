import { z } from 'zod';
import { longestReason } from '../../../../core/licensing/transitions.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import type { SubscriptionState } from '../../../../core/purchases/subscription.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { SellerSubscriptions } from '../../../../core/selling/subscriptions.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { optionalText, text } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered, type Tag } from '../../route.ts';
import { choice, searched } from '../licenses/fields.ts';
import { sellerOf } from '../seller.ts';
import { renderSubscription, subscriptionItem } from './subscription.ts';

const tag: Tag = {
  name: 'Subscriptions',
  description: 'Licenses of your products that are paid again for each interval.',
};

const reading = { tag, scope: 'orders:read' } as const;
const writing = { tag, scope: 'orders:write' } as const;

/** The body of a response that returns one subscription. */
const oneSubscription = z.object({ success: z.literal(true), subscription: subscriptionItem });

const params = z.object({
  id: text(200).meta({ description: 'The id of the subscription: that of its first order.', example: '1043' }),
});

/** Those that are asked for. An active one is not cancelled. */
const wanted = ['active', 'past_due', 'paused', 'cancelled', 'ended'] as const;

function answerWith<Reason extends string>(
  order: Order | Refused<Reason>,
): z.output<typeof oneSubscription> | Refused<Reason> {
  return isRefused(order) ? order : { success: true, subscription: renderSubscription(order) };
}

/** In the order of the API reference. */
export function subscriptionRoutes(tools: AccountTools, subscriptions: SellerSubscriptions): Route[] {
  const act = (name: 'cancel' | 'resume', more: Pick<Route, 'id' | 'summary' | 'description'>): Route =>
    accountRoute(tools, {
      ...more,
      ...writing,
      method: 'post',
      paths: [`/api/subscriptions/:id/${name}`],
      isIdempotent: true,
      params,
      body: z.strictObject({
        reason: optionalText(longestReason).meta({
          description: 'Why you do it. It is kept in the history of the order. The buyer does not see it.',
          example: 'Asked for by mail.',
        }),
      }),
      answer: oneSubscription,
      refusals: ['not_found', 'conflict'],
      handle: async ({ caller, params, body: { reason } }) =>
        answerWith(await subscriptions[name](params.id, sellerOf(caller, reason))),
    });
  return [
    accountRoute(tools, {
      id: 'list-subscriptions',
      ...reading,
      summary: 'Lists and searches the subscriptions of your products, newest first; for administrators, all',
      description:
        'A live key sees live subscriptions, a test key those in test mode. A new one or a change may be missing for some seconds.',
      method: 'get',
      paths: ['/api/subscriptions'],
      query: z.object({
        status: z.enum(wanted, choice(wanted)).optional().meta({
          description: '`cancelled`: it ends with the time that is paid. The others are not cancelled.',
          example: 'active',
        }),
        product: searched.optional().meta({ description: 'Id or slug of a product.', example: 'simple-dex' }),
        search: searched.optional().meta({
          description: "The start of the buyer's address, of the license key or of the title, or the id.",
          example: 'grace@example.com',
        }),
        ...pageQuery,
      }),
      answer: pageOf(subscriptionItem),
      refusals: [],
      async handle({ caller, query: { status, product, search, cursor: after, limit } }) {
        const state: SubscriptionState | undefined = status === 'active' ? 'running' : status;
        const query = { state, product, search: search || undefined, after, limit };
        return rendered(subscriptions.list(query, sellerOf(caller)), (page) =>
          pageAnswer(page.orders.map(renderSubscription), page.next),
        );
      },
    }),
    accountRoute(tools, {
      id: 'get-subscription',
      ...reading,
      summary: 'Returns a subscription',
      method: 'get',
      paths: ['/api/subscriptions/:id'],
      params,
      answer: oneSubscription,
      refusals: ['not_found'],
      handle: async ({ caller, params }) => answerWith(await subscriptions.find(params.id, sellerOf(caller))),
    }),
    act('cancel', {
      id: 'cancel-subscription',
      summary: 'Cancels a subscription: nothing more is paid',
      description:
        'The license works until the end of the paid time, without grace. Nothing is paid back: refund an order for that. The buyer gets a mail. Does nothing if it is cancelled already; 409 if it has ended.',
    }),
    act('resume', {
      id: 'resume-subscription',
      summary: 'Takes back that a subscription was cancelled',
      description: 'The next payment comes at the end of the paid time. 409 if it has ended.',
    }),
  ];
}
