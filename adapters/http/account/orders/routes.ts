import { z } from 'zod';
import { toOrderId } from '../../../../core/id.ts';
import { iso } from '../../../../core/iso.ts';
import { longestReason } from '../../../../core/licensing/transitions.ts';
import { type Order, orderStates, providers } from '../../../../core/purchases/order.ts';
import { disputeStates, refundable } from '../../../../core/purchases/payment.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { OrderList } from '../../../../core/selling/order-list.ts';
import type { Orders } from '../../../../core/selling/orders.ts';
import type { SendBack } from '../../../../core/selling/sent-back.ts';
import { longest } from '../../../../core/usdc/transaction-of.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { Failure } from '../../failures.ts';
import { isoOrNull, optionalText, text, timestamp } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, type Tag } from '../../route.ts';
import { discountOf } from '../coupons/discount.ts';
import { companyItem, creditNoteItem, invoiceItem, renderCompany, renderInvoice } from '../invoices.ts';
import { choice, instant, searched } from '../licenses/fields.ts';
import { sellerOf } from '../seller.ts';
import { renderSubscriptionOf, subscriptionOf } from '../subscriptions/subscription.ts';
import { partsOfOrder, renderParts } from './parts.ts';

export const tag: Tag = {
  name: 'Orders',
  description: 'What buyers ordered of your products, how they paid, and refunds.',
};

/** What the routes about orders have in common. */
const reading = { tag, scope: 'orders:read' } as const;
const writing = { tag, scope: 'orders:write' } as const;

const amount = (description: string, example: number) =>
  z.int().meta({ description: `${description} In the smallest unit of the currency, such as cents.`, example });

/** An order as its seller sees it. */
const orderItem = z
  .object({
    id: z.int().meta({ example: 1042 }),
    status: z.enum(orderStates).meta({
      description:
        '`soft`: paid in USDC, and so deep in the chain that the license works, but not final yet; the order is then `paid`, or the chain takes the payment back. `held`: another amount or currency was paid than agreed; an administrator decides. `refunding`: a full refund is on its way. `charged_back`: a dispute was lost.',
      example: 'paid',
    }),
    livemode: z.boolean().meta({ example: true }),
    provider: z.enum(providers).meta({ description: 'Who takes the money.', example: 'stripe' }),
    invoice_number: z
      .int()
      .nullable()
      .meta({ description: 'Null for free products, and until the order is paid.', example: 17 }),
    invoice: invoiceItem.nullable(),
    credit_notes: z.array(creditNoteItem),
    product: z.object({ id: z.int(), title: z.string(), slug: z.string() }).meta({
      description: 'As it was when it was ordered.',
      example: { id: 7, title: 'Simple DEX', slug: 'simple-dex' },
    }),
    version: z.string().nullable().meta({ description: 'The newest version at that time.', example: '1.2.0' }),
    offer: z
      .object({ slug: z.string(), name: z.string() })
      .nullable()
      .meta({
        description: 'The offer by which it was sold, as it was then.',
        example: { slug: 'team', name: 'Team' },
      }),
    buyer: z
      .object({ email: z.string(), name: z.string().nullable() })
      .meta({ example: { email: 'grace@example.com', name: 'Grace Hopper' } }),
    company: companyItem.nullable(),
    license_key: z
      .string()
      .nullable()
      .meta({ description: 'Null until the order is paid.', example: 'LIC-7H2K-9QWX-M4TB-C0VJ' }),
    renews: z.string().nullable().meta({
      description: 'The license that the order renews or upgrades, which was sold before. `license_key` is null then.',
      example: null,
    }),
    subscription_id: subscriptionOf,
    currency: z.string().meta({ description: 'ISO 4217, in lower case.', example: 'usd' }),
    price: amount('The agreed price, after the coupon.', 4900),
    discount: discountOf,
    amount: amount('What the buyer pays in all, with tax.', 4900),
    amount_refunded: amount('What was refunded.', 0),
    amount_refundable: amount('What can still be refunded.', 4900),
    parts: partsOfOrder,
    dispute: z
      .enum(disputeStates)
      .nullable()
      .meta({ description: 'How the bank of the buyer stands to the payment. Null without a dispute.', example: null }),
    created_at: timestamp,
    paid_at: timestamp.nullable(),
    updated_at: timestamp,
  })
  .meta({ id: 'AccountOrder' });

/** The answer with one order. */
export const oneOrder = z.object({ success: z.literal(true), order: orderItem });

function renderOrder(order: Order, parts: readonly Order[], baseUrl: string): z.output<typeof orderItem> {
  const { agreed, payment, buyer } = order;
  return {
    id: order.id,
    status: order.state,
    livemode: order.isLive,
    provider: order.provider,
    invoice_number: order.number,
    ...renderInvoice(order, `${baseUrl}/selling/${order.isLive ? 'live' : 'test'}/orders/${order.id}`),
    company: renderCompany(order.billing),
    product: { id: order.productId, title: agreed.title, slug: agreed.slug },
    version: agreed.version,
    offer: agreed.offer && { slug: agreed.offer.slug, name: agreed.offer.name },
    buyer: { email: buyer.email, name: buyer.name },
    license_key: order.licenseKey,
    renews: order.renews,
    subscription_id: renderSubscriptionOf(order),
    currency: payment.currency,
    price: agreed.price,
    discount: agreed.discount ? { coupon: agreed.discount.code, amount: agreed.discount.amount } : null,
    amount: payment.total,
    amount_refunded: payment.refunded,
    amount_refundable: refundable(payment),
    parts: renderParts(order, parts),
    dispute: payment.dispute,
    created_at: iso(order.createdAt),
    paid_at: isoOrNull(order.paidAt),
    updated_at: iso(order.updatedAt),
  };
}

/** The dependencies of the routes of orders. */
export interface OrderTools {
  readonly tools: AccountTools;
  readonly orders: Orders;
  readonly sendBack: SendBack;
  readonly list: OrderList;
  /** The public address of the site. */
  readonly baseUrl: string;
}

export const params = z.object({
  id: text(200).meta({ description: 'The id of the order.', example: '1042' }),
});

export const reason = optionalText(longestReason).meta({
  description: 'Why you do it. It is kept in the history of the order.',
  example: 'The buyer bought it twice.',
});

/** Returns the response body with the order, or the refusal. */
export async function answerWithOrder<Reason extends string>(
  { list, baseUrl }: Pick<OrderTools, 'list' | 'baseUrl'>,
  order: Order | Refused<Reason>,
): Promise<z.output<typeof oneOrder> | Refused<Reason>> {
  return isRefused(order) ? order : { success: true, order: renderOrder(order, await list.partsOf([order]), baseUrl) };
}

const wholeAmount = 'It must be a whole number of at least 1.';

/** The acts on orders that are paid by hand. */
const record = (
  kind: 'pay' | 'cancel',
  own: OrderTools,
  more: Pick<Route, 'id' | 'summary' | 'description' | 'paths'>,
): Route =>
  accountRoute(own.tools, {
    ...more,
    ...writing,
    method: 'post',
    isIdempotent: true,
    params,
    body: z.strictObject({ reason }),
    answer: oneOrder,
    refusals: ['not_found', 'conflict', 'forbidden'],
    handle: async ({ caller, params, body: { reason } }) =>
      await answerWithOrder(own, await own.orders.record(params.id, { kind }, sellerOf(caller, reason))),
  });

/** In the order of the API reference. */
export function orderRoutes(own: OrderTools): Route[] {
  const { tools, orders, list, baseUrl } = own;
  return [
    accountRoute(tools, {
      id: 'list-orders',
      ...reading,
      summary: 'Lists and searches the orders of your products, newest first; for administrators, all orders',
      description:
        'A live key sees live orders, a test key test orders. A new order or a change may be missing for some seconds.',
      method: 'get',
      paths: ['/api/orders'],
      query: z.object({
        status: z.enum(orderStates, choice(orderStates)).optional().meta({ example: 'paid' }),
        product: searched.optional().meta({ description: 'Id or slug of a product.', example: 'simple-dex' }),
        search: searched.optional().meta({
          description: "The start of the buyer's address, of the license key or of the title, or the id of the order.",
          example: 'grace@example.com',
        }),
        from: instant
          .optional()
          .meta({ description: 'Only orders that were made at this time or later.', example: '2026-01-01T00:00:00Z' }),
        to: instant.optional().meta({ description: 'Only orders that were made before this time.' }),
        ...pageQuery,
      }),
      answer: pageOf(orderItem),
      refusals: [],
      async handle({ caller, query: { status, product, search, from, to, cursor: after, limit } }) {
        const query = { states: status && [status], product, search: search || undefined, from, to, after, limit };
        const page = await list.list(query, sellerOf(caller));
        if (isRefused(page)) return page;
        const parts = await list.partsOf(page.orders);
        return pageAnswer(
          page.orders.map((order) => renderOrder(order, parts, baseUrl)),
          page.next,
        );
      },
    }),
    accountRoute(tools, {
      id: 'get-order',
      ...reading,
      summary: 'Returns an order',
      method: 'get',
      paths: ['/api/orders/:id'],
      params,
      answer: oneOrder,
      refusals: ['not_found'],
      handle: async ({ caller, params }) => await answerWithOrder(own, await list.find(params.id, sellerOf(caller))),
    }),
    accountRoute(tools, {
      id: 'refund-order',
      ...writing,
      summary: 'Refunds an order, in full or in part',
      description:
        'The provider pays the money back. For an order that is paid by hand, it only records that you did; for one that is paid in USDC too, unless you name the `transaction`; 403 if only administrators record payments. After a full refund, the license is revoked, unless the product keeps it. A refund can be on its way for days: read the order, or wait for the webhook `order.refunded`.',
      method: 'post',
      paths: ['/api/orders/:id/refund'],
      isIdempotent: true,
      params,
      body: z
        .strictObject({
          amount: z.int(wholeAmount).min(1, wholeAmount).optional().meta({
            description: 'In the smallest unit of the currency, such as cents. All that is left without it.',
            example: 1000,
          }),
          parts: z
            .array(z.int('It must be the id of a part.').min(1).max(2_147_483_647))
            .min(1, 'Name at least one part.')
            .max(20, 'An order has at most 20 parts.')
            .optional()
            .meta({
              description:
                'Only of a bundle: the ids of the parts to refund. All that is left of their shares is refunded, so there is no `amount`. Their licenses are revoked, unless their products keep them; the others go on.',
              example: [1043],
            }),
          transaction: text(longest.transaction)
            .optional()
            .meta({
              description:
                'Only of an order that is paid in USDC (`provider` is `usdc`): the hash of the transaction with which you have sent the money back, from an address that you have proved. The chain says how much it was, so there is no `amount`. The refund is on its way until the transaction is final. What came for an order that was never paid can be sent back in the same way. The same transaction again changes nothing.',
              example: `0x${'ab'.repeat(32)}`,
            }),
          to: text(longest.address).optional().meta({
            description:
              'Only with `transaction`: the address that got the money, if it is another one than that which has paid.',
            example: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
          }),
          reason,
        })
        // `amount`, `parts` and `transaction` exclude each other.
        .meta({ example: { amount: 1000, reason: 'The buyer bought it twice.' } }),
      answer: oneOrder,
      refusals: ['not_found', 'conflict', 'forbidden'],
      async handle({ caller, params, body: { amount, parts, transaction, to, reason } }) {
        const seller = sellerOf(caller, reason);
        if (transaction !== undefined) {
          if ((amount ?? parts) !== undefined)
            throw new Failure('validation_error', { fields: { transaction: ['It names the amount itself.'] } });
          return await answerWithOrder(own, await own.sendBack(params.id, { transaction, to }, seller));
        }
        if (to !== undefined) throw new Failure('validation_error', { fields: { to: ['It needs `transaction`.'] } });
        if (parts === undefined) return await answerWithOrder(own, await orders.refund(params.id, amount, seller));
        if (amount !== undefined) {
          throw new Failure('validation_error', { fields: { amount: ['Name an amount or parts, not both.'] } });
        }
        return await answerWithOrder(own, await orders.refundParts(params.id, parts.map(toOrderId), seller));
      },
    }),
    record('pay', own, {
      id: 'pay-order',
      summary: 'Records that the money of an order came in',
      description:
        'For orders that are paid by hand (`provider` is `manual`). The license is issued, and the buyer gets it by mail. Works for an expired or cancelled order too, if the money comes late. 403 if only administrators record payments (the setting `MANUAL_PAYMENTS_BY` of the server).',
      paths: ['/api/orders/:id/paid'],
    }),
    record('cancel', own, {
      id: 'cancel-order',
      summary: 'Cancels an order that was not paid',
      description:
        'For orders that are paid by hand (`provider` is `manual`). 403 if only administrators record payments.',
      paths: ['/api/orders/:id/cancel'],
    }),
  ];
}
