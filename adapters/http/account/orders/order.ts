import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import { type Order, orderStates, providers } from '../../../../core/purchases/order.ts';
import { disputeStates, refundable } from '../../../../core/purchases/payment.ts';
import { isoOrNull, timestamp } from '../../fields.ts';

const amount = (description: string, example: number) =>
  z.int().meta({ description: `${description} In the smallest unit of the currency, such as cents.`, example });

/** An order as its seller sees it. */
export const orderItem = z
  .object({
    id: z.int().meta({ example: 1042 }),
    status: z.enum(orderStates).meta({
      description:
        '`held`: another amount or currency was paid than agreed; an administrator decides. `refunding`: a full refund is on its way. `charged_back`: a dispute was lost.',
      example: 'paid',
    }),
    livemode: z.boolean().meta({ example: true }),
    provider: z.enum(providers).meta({ description: 'Who takes the money.', example: 'stripe' }),
    invoice_number: z
      .int()
      .nullable()
      .meta({ description: 'Null for free products, and until the order is paid.', example: 17 }),
    product: z.object({ id: z.int(), title: z.string(), slug: z.string() }).meta({
      description: 'As it was when it was ordered.',
      example: { id: 7, title: 'Simple DEX', slug: 'simple-dex' },
    }),
    version: z.string().nullable().meta({ description: 'The newest version at that time.', example: '1.2.0' }),
    buyer: z
      .object({ email: z.string(), name: z.string().nullable() })
      .meta({ example: { email: 'grace@example.com', name: 'Grace Hopper' } }),
    license_key: z
      .string()
      .nullable()
      .meta({ description: 'Null until the order is paid.', example: 'LIC-7H2K-9QWX-M4TB-C0VJ' }),
    currency: z.string().meta({ description: 'ISO 4217, in lower case.', example: 'usd' }),
    price: amount('The agreed price.', 4900),
    amount: amount('What the buyer pays in all, with tax.', 4900),
    amount_refunded: amount('What was refunded.', 0),
    amount_refundable: amount('What can still be refunded.', 4900),
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

export function renderOrder(order: Order): z.output<typeof orderItem> {
  const { agreed, payment, buyer } = order;
  return {
    id: order.id,
    status: order.state,
    livemode: order.isLive,
    provider: order.provider,
    invoice_number: order.number,
    product: { id: order.productId, title: agreed.title, slug: agreed.slug },
    version: agreed.version,
    buyer: { email: buyer.email, name: buyer.name },
    license_key: order.licenseKey,
    currency: payment.currency,
    price: agreed.price,
    amount: payment.total,
    amount_refunded: payment.refunded,
    amount_refundable: refundable(payment),
    dispute: payment.dispute,
    created_at: iso(order.createdAt),
    paid_at: isoOrNull(order.paidAt),
    updated_at: iso(order.updatedAt),
  };
}
