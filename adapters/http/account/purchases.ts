import { z } from 'zod';
import { iso } from '../../../core/iso.ts';
import type { Purchases } from '../../../core/purchases/buying.ts';
import { type Order, orderStates, providers } from '../../../core/purchases/order.ts';
import { isRefused } from '../../../core/refusal.ts';
import { pageAnswer, pageOf, pageQuery } from '../cursor.ts';
import { isoOrNull, timestamp } from '../fields.ts';
import { type AccountTools, accountRoute, type Route, type Tag } from '../route.ts';
import { discountOf } from './coupons/discount.ts';
import { creditNoteItem, invoiceItem, renderInvoice } from './invoices.ts';
import { partsOfOrder, renderParts } from './orders/parts.ts';
import {
  boughtSubscription,
  renderBought,
  renderSubscriptionOf,
  subscriptionOf,
} from './subscriptions/subscription.ts';

const amount = z.int().meta({ description: 'In the smallest unit of the currency, such as cents.', example: 4900 });

/** An order as its buyer sees it. */
const purchase = z
  .object({
    id: z.int().meta({ example: 417 }),
    state: z.enum(orderStates).meta({ example: 'paid' }),
    livemode: z.boolean().meta({ description: 'False for products in test mode.' }),
    product: z.object({
      id: z.int().meta({ example: 31 }),
      slug: z.string().meta({ example: 'uniswap-style-dex' }),
      title: z.string().meta({ example: 'Uniswap-style DEX' }),
    }),
    seller_name: z.string().nullable().meta({ example: 'Ada & Co' }),
    license_key: z
      .string()
      .nullable()
      .meta({ description: 'Null until the order is paid.', example: 'LIC-7H2K-9QWX-M4TB-C0VJ' }),
    renews: z.string().nullable().meta({
      description:
        'The license that the order renews or upgrades, which was bought before. `license_key` is null then.',
      example: null,
    }),
    parts: partsOfOrder,
    subscription_id: subscriptionOf,
    subscription: boughtSubscription.nullable(),
    invoice_number: z
      .int()
      .nullable()
      .meta({ description: 'Null for free orders, and until the order is paid.', example: 12 }),
    invoice: invoiceItem.nullable(),
    credit_notes: z.array(creditNoteItem),
    provider: z.enum(providers).meta({ description: 'Who takes the money.', example: 'stripe' }),
    currency: z.string().meta({ description: 'A code of ISO 4217 in lower case.', example: 'usd' }),
    discount: discountOf,
    subtotal: amount.meta({ description: 'Without tax that is added to the price. In cents.', example: 4900 }),
    total: amount.meta({ description: 'With tax. In cents.', example: 4900 }),
    refunded: amount.meta({ example: 0 }),
    created_at: timestamp,
    paid_at: timestamp.nullable(),
    order_url: z.string().meta({
      description: 'The page of the order. Whoever has this address can use the order, so keep it secret.',
      example: 'https://api.example.com/orders/0zqp3s689h3wvyr6mk8p2mn4',
    }),
    receipt_url: z.string().nullable().meta({
      description: 'The same as the `url` of `invoice`. Null without an invoice number.',
      example: 'https://api.example.com/orders/0zqp3s689h3wvyr6mk8p2mn4/invoice',
    }),
  })
  .meta({ id: 'AccountPurchase' });

const tag: Tag = {
  name: 'Purchases',
  description: 'What the owner of the API key has bought.',
};

/** `baseUrl` is the public address of the site. */
export function purchaseRoutes(tools: AccountTools, purchases: Purchases, baseUrl: string): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-purchases',
      tag,
      summary: 'Lists what the caller has bought, newest first',
      description:
        "Orders of live products and of products in test mode. Orders that were made without an account are here too, if they have the caller's e-mail address and the address is verified.",
      method: 'get',
      paths: ['/api/purchases'],
      scope: 'purchases:read',
      query: z.object(pageQuery),
      answer: pageOf(purchase),
      refusals: [],
      async handle({ caller, query }) {
        const page = await purchases.list(caller.user.id, { after: query.cursor, limit: query.limit });
        if (isRefused(page)) return page;
        const parts = await purchases.partsOf(page.orders);
        return pageAnswer(
          page.orders.map((order) => render(order, parts, baseUrl)),
          page.next,
        );
      },
    }),
  ];
}

function render(order: Order, parts: readonly Order[], baseUrl: string): z.output<typeof purchase> {
  const { agreed, payment, number } = order;
  const page = `${baseUrl}/orders/${order.token}`;
  return {
    id: order.id,
    state: order.state,
    livemode: order.isLive,
    product: { id: order.productId, slug: agreed.slug, title: agreed.title },
    seller_name: agreed.sellerName,
    license_key: order.licenseKey,
    renews: order.renews,
    parts: renderParts(order, parts),
    subscription_id: renderSubscriptionOf(order),
    subscription: renderBought(order),
    invoice_number: number,
    ...renderInvoice(order, page),
    provider: order.provider,
    currency: payment.currency,
    discount: agreed.discount ? { coupon: agreed.discount.code, amount: agreed.discount.amount } : null,
    subtotal: payment.subtotal,
    total: payment.total,
    refunded: payment.refunded,
    created_at: iso(order.createdAt),
    paid_at: isoOrNull(order.paidAt),
    order_url: page,
    receipt_url: number === null ? null : `${page}/invoice`,
  };
}
