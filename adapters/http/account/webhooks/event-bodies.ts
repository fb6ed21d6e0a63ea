import { z } from 'zod';
import { licenseStatuses } from '../../../../core/licensing/license.ts';
import { reminderDays } from '../../../../core/licensing/reminders.ts';
import { orderStates, providers } from '../../../../core/purchases/order.ts';
import { disputeStates } from '../../../../core/purchases/payment.ts';
import { type WebhookEventType, webhookEvents, webhookEventTypes } from '../../../../core/webhooks/webhook-event.ts';
import { endTime, entitlementList, timestamp, updatesUntil } from '../../fields.ts';
import { pascalCase } from '../../openapi/names.ts';
import type { Sent } from '../../openapi/webhooks.ts';
import { discountOf } from '../coupons/discount.ts';
import { creditNoteItem } from '../invoices.ts';
import { partsOfOrder } from '../orders/parts.ts';
import { subscriptionFields } from '../subscriptions/subscription.ts';
import { tag } from './webhook.ts';

const product = z
  .object({
    id: z.int().meta({ example: 7 }),
    title: z.string().meta({ example: 'Simple DEX' }),
    slug: z.string().meta({ example: 'simple-dex' }),
  })
  .meta({ id: 'EventProduct' });

const domain = z.string().meta({ example: 'app.example.com' });
const reason = z.string().meta({ description: 'Empty if none was given.', example: 'Refunded.' });

/** The fields of a license in an event: its state after the event. */
const license = {
  license_key: z.string().meta({ example: 'LIC-7H2K-9QWX-M4TB-C0VJ' }),
  status: z.enum(licenseStatuses).meta({ example: 'active' }),
  domains_used: z.int().meta({ example: 1 }),
  max_domains: z.int().meta({ example: 3 }),
  expires_at: endTime.nullable().meta({ description: 'Null for a perpetual license.' }),
  updates_until: updatesUntil,
  entitlements: entitlementList,
  product,
};

const order = z
  .object({
    order_id: z.int().meta({ example: 1042 }),
    status: z.enum(orderStates).meta({ example: 'paid' }),
    invoice_number: z.int().nullable().meta({ description: 'Null for free products.', example: 17 }),
    invoice: z
      .string()
      .nullable()
      .meta({ description: 'The same with what you put before the numbers.', example: 'ACME-17' }),
    credit_notes: z
      .array(creditNoteItem.pick({ number: true, kind: true, reason: true, amount: true }))
      .meta({ description: 'Oldest first: one for each refund and for a lost dispute.', example: [] }),
    provider: z.enum(providers).meta({ example: 'stripe' }),
    amount: z.int().meta({ description: 'What was paid, in the smallest unit of the currency.', example: 4900 }),
    amount_refunded: z.int().meta({ example: 0 }),
    currency: z.string().meta({ example: 'usd' }),
    discount: discountOf,
    dispute: z.enum(disputeStates).nullable(),
    buyer: z.object({
      email: z.string().meta({ example: 'buyer@example.com' }),
      name: z.string().nullable().meta({ example: 'Ada Lovelace' }),
    }),
    license_key: z.string().nullable().meta({ example: 'LIC-7H2K-9QWX-M4TB-C0VJ' }),
    renews: z.string().nullable().meta({
      description: 'The license that the order renews or upgrades. `license_key` is null then.',
      example: null,
    }),
    parts: partsOfOrder,
    product,
  })
  .meta({ id: 'EventOrder' });

const subscription = z.object({ ...subscriptionFields, product }).meta({ id: 'EventSubscription' });

/** The `data` of each event. */
const data = {
  'license.issued': z.object(license),
  'license.activated': z.object({ ...license, domain }),
  'license.deactivated': z.object({ ...license, domain }),
  'license.domain_moved': z.object({
    ...license,
    from: domain,
    to: domain.meta({ example: 'new.example.com' }),
    from_ends_at: endTime.meta({ description: 'The old domain is valid until then.' }),
  }),
  'license.suspended': z.object({ ...license, reason }),
  'license.reinstated': z.object({ ...license, reason }),
  'license.revoked': z.object({ ...license, reason }),
  'license.renewed': z.object({ ...license, reason }),
  'license.rotated': z.object({
    ...license,
    former_key: z.string().meta({ description: 'The key that was replaced.', example: 'LIC-2B8N-RW4C-K6PA-D3M7' }),
    former_valid_until: endTime.meta({ description: 'The replaced key is valid until then.' }),
  }),
  'license.leak_suspected': z.object({
    ...license,
    domains: z.array(z.string()).meta({
      description: 'The foreign domains that ask again and again with the key of the license.',
      example: ['copy.example.net', 'copy.example.org', 'example.shop'],
    }),
  }),
  'license.expiring': z.object({
    ...license,
    days_left: z
      .literal(reminderDays)
      .meta({ description: 'It ends at `expires_at`, in about these days.', example: 7 }),
  }),
  'license.expired': z.object(license),
  'license.verified': z.object({
    ...license,
    domain,
    count: z.int().meta({ description: 'Verifications since the last such event for this domain.', example: 12 }),
    last_verified_at: timestamp,
  }),
  'order.paid': order,
  'order.refunded': order,
  'order.disputed': order,
  'subscription.started': subscription,
  'subscription.changed': subscription,
  'subscription.payment_failed': subscription,
  'subscription.cancelled': subscription,
  'subscription.resumed': subscription,
  'subscription.ended': subscription,
  'product.approved': z.object({ status: z.literal('published'), product }),
  'product.rejected': z.object({ status: z.literal('rejected'), reason, product }),
} as const satisfies Record<WebhookEventType, z.ZodType>;

/** The status of a license after an event that sets it. Others can happen in several. */
const examples: Partial<Record<WebhookEventType, (typeof licenseStatuses)[number]>> = {
  'license.suspended': 'suspended',
  'license.revoked': 'revoked',
  'license.expired': 'expired',
};

/** The body of an event. Receivers must ignore fields that they do not know. */
function bodyOf(type: WebhookEventType): z.ZodObject {
  return z
    .object({
      id: z
        .string()
        .meta({ description: 'The same for all attempts, and in `webhook-id`.', example: 'evt_01jd8x0c5v' }),
      event: z.literal(type),
      timestamp: timestamp.meta({ description: 'When it happened.' }),
      livemode: z.boolean().meta({ example: true }),
      data: withStatus(data[type], examples[type]),
    })
    .meta({ id: `Event${pascalCase(type)}` });
}

function withStatus(schema: z.ZodObject, status: string | undefined): z.ZodObject {
  return status === undefined ? schema : schema.extend({ status: license.status.meta({ example: status }) });
}

/** The bodies of all events, for the documentation. */
export const eventBodies: readonly Sent[] = webhookEventTypes.map((type) => ({
  name: type,
  tag,
  summary: webhookEvents[type],
  body: bodyOf(type),
}));
