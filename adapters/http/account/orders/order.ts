import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import { type Order, orderStates, providers } from '../../../../core/purchases/order.ts';
import { disputeStates, refundable } from '../../../../core/purchases/payment.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { OrderList } from '../../../../core/selling/order-list.ts';
import type { Orders } from '../../../../core/selling/orders.ts';
import type { SendBack } from '../../../../core/selling/sent-back.ts';
import type { UndoSendBack } from '../../../../core/selling/undo-sent-back.ts';
import { isoOrNull, text, timestamp } from '../../fields.ts';
import type { AccountTools, Tag } from '../../route.ts';
import { discountOf } from '../coupons/discount.ts';
import { companyItem, creditNoteItem, invoiceItem, renderCompany, renderInvoice } from '../invoices.ts';
import { renderSubscriptionOf, subscriptionOf } from '../subscriptions/subscription.ts';
import { partsOfOrder, renderParts } from './parts.ts';

export const tag: Tag = {
  name: 'Orders',
  description: 'What buyers ordered of your products, how they paid, and refunds.',
};

/** Settings of every route that reads orders. */
export const reading = { tag, scope: 'orders:read' } as const;

const amount = (description: string, example: number) =>
  z.int().meta({ description: `${description} In the smallest unit of the currency, such as cents.`, example });

/** An order as its seller sees it. */
export const orderItem = z
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

/** The response body with one order. */
export const oneOrder = z.object({ success: z.literal(true), order: orderItem });

export function renderOrder(order: Order, parts: readonly Order[], baseUrl: string): z.output<typeof orderItem> {
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

export const params = z.object({
  id: text(200).meta({ description: 'The id of the order.', example: '1042' }),
});

/** The dependencies of the routes of orders. */
export interface OrderTools {
  readonly tools: AccountTools;
  readonly orders: Orders;
  readonly sendBack: SendBack;
  readonly undoSendBack: UndoSendBack;
  readonly list: OrderList;
  /** The public address of the site. */
  readonly baseUrl: string;
}

/** Returns the response body with the order, or the refusal. */
export async function answerWithOrder<Reason extends string>(
  { list, baseUrl }: Pick<OrderTools, 'list' | 'baseUrl'>,
  order: Order | Refused<Reason>,
): Promise<z.output<typeof oneOrder> | Refused<Reason>> {
  return isRefused(order) ? order : { success: true, order: renderOrder(order, await list.partsOf([order]), baseUrl) };
}
