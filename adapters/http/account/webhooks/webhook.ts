import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import type { SecretBox } from '../../../../core/ports/secret-box.ts';
import type { ShownWebhook } from '../../../../core/selling/find-webhook.ts';
import type { Webhooks } from '../../../../core/selling/webhooks.ts';
import { endpointLimits, endpointStates, type SealedSecret, stateOf } from '../../../../core/webhooks/endpoint.ts';
import { webhookEventTypes } from '../../../../core/webhooks/webhook-event.ts';
import {
  endTime,
  isoOrNull,
  isWithoutNul,
  missing,
  missingOr,
  notOneText,
  nulFault,
  text,
  timestamp,
  trimmed,
} from '../../fields.ts';
import type { AccountTools, Tag } from '../../route.ts';

export const tag: Tag = {
  name: 'Webhooks',
  description: 'Your addresses that receive events, and what was sent to them in the last 14 days.',
};

/** What the routes about webhooks have in common. */
export const ours = { tag, scope: 'webhooks:write' } as const;

export const ofWebhook = z.object({
  id: text(200).meta({ description: 'The id of the webhook.', example: '5' }),
});

const wrongEvents = `It must be "*", or a list of ${webhookEventTypes.join(', ')}.`;
export const eventType = z.enum(webhookEventTypes, missingOr(`It must be one of ${webhookEventTypes.join(', ')}.`));

export const urlRule =
  'Where events are sent: an `https` address on the public internet, with port 80, 443 or one above 1023.';

/** The fields of a webhook that its owner sets. */
export const terms = {
  url: trimmed(endpointLimits.url).meta({
    description: urlRule,
    example: 'https://hooks.example.com/latchkey',
  }),
  events: z
    .union([z.literal('*'), z.array(z.enum(webhookEventTypes)).min(1)], {
      error: ({ input }) => (input === undefined ? missing : wrongEvents),
    })
    .meta({
      description: 'The events to send. `"*"` means all, also later ones, except `license.verified`.',
      example: ['license.activated', 'license.revoked'],
    }),
  product: z
    .union(
      [z.int().min(0), z.string().max(200).refine(isWithoutNul, nulFault)],
      'It must be the id or slug of a product.',
    )
    .transform(String)
    .nullable()
    .meta({ description: 'Id or slug of one of your products. Null for all.', example: 'simple-dex' }),
  description: z
    .string({ error: notOneText })
    .trim()
    .refine(isWithoutNul, nulFault)
    .refine((value) => !/\p{Surrogate}/u.test(value), 'It must be valid Unicode.')
    .refine(
      (value) => [...value].length <= endpointLimits.description,
      `It must have at most ${endpointLimits.description} characters.`,
    )
    .meta({ maxLength: endpointLimits.description, description: 'Your own note.', example: 'Billing' }),
};

export const webhookItem = z
  .object({
    id: z.int().meta({ example: 5 }),
    url: z.string().nullable().meta({
      description: 'Null for a listener. Nothing is sent to it.',
      example: 'https://hooks.example.com/latchkey',
    }),
    events: z
      .union([z.literal('*'), z.array(z.enum(webhookEventTypes))])
      .meta({ example: ['license.activated', 'license.revoked'] }),
    product: z
      .object({ id: z.int(), title: z.string(), slug: z.string() })
      .nullable()
      .meta({ description: 'Null for all products.', example: { id: 7, title: 'Simple DEX', slug: 'simple-dex' } }),
    description: z.string().meta({ example: 'Billing' }),
    livemode: z.boolean().meta({ description: 'Whether it gets live or test events.', example: true }),
    status: z.enum(endpointStates).meta({
      description:
        '`failing`: the last attempt failed. `failed`: a delivery has failed for good since the last success. `off`: nothing is sent.',
      example: 'on',
    }),
    off_reason: z.enum(['seller', 'failures']).nullable().meta({
      description: '`failures`: it was switched off after five days of failures only. Null if it is on.',
      example: null,
    }),
    failing_since: timestamp.nullable().meta({ description: 'The first failure since the last success.' }),
    old_secret_until: endTime.nullable().meta({
      description: 'Until this time, the old secret still signs. Null if the secret was never changed.',
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'AccountWebhook' });

const webhookWithSecret = webhookItem
  .extend({
    secret: z.string().meta({
      description: 'The key of the signatures. Only this answer contains it.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD1sG9QmvbZS8=',
    }),
  })
  .meta({ id: 'AccountWebhookWithSecret' });

export const oneWebhook = z.object({ success: z.literal(true), webhook: webhookItem });
export const newWebhook = z.object({ success: z.literal(true), webhook: webhookWithSecret });

export function renderWebhook({ endpoint, product }: ShownWebhook): z.output<typeof webhookItem> {
  const { events, oldSecret } = endpoint;
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: events === '*' ? events : [...events],
    product: product && { id: product.id, title: product.title, slug: product.slug },
    description: endpoint.description,
    livemode: endpoint.isLive,
    status: stateOf(endpoint),
    off_reason: endpoint.off,
    failing_since: isoOrNull(endpoint.health.failingSince),
    old_secret_until: oldSecret && iso(oldSecret.until),
    created_at: iso(endpoint.createdAt),
    updated_at: iso(endpoint.updatedAt),
  };
}

/** The dependencies of the routes of webhooks. */
export interface WebhookTools {
  readonly tools: AccountTools;
  readonly webhooks: Webhooks;
  readonly box: Pick<SecretBox, 'open'>;
}

/** In the terms of a webhook, its product is a parameter like others. */
export const faults = { product_not_found: 'product' } as const;

export function answerWithWebhook(shown: ShownWebhook): z.output<typeof oneWebhook> {
  return { success: true, webhook: renderWebhook(shown) };
}

/** Like `answerWithWebhook`, but with the secret. It stays sealed, because the answer is stored for repeated requests. */
export function answerWithSealed(shown: ShownWebhook): z.output<typeof newWebhook> {
  return { success: true, webhook: { ...renderWebhook(shown), secret: shown.endpoint.secret } };
}

/** Replaces the sealed secret of an answer with the secret itself. */
export function opened(
  { open }: WebhookTools['box'],
  { success, webhook }: z.output<typeof newWebhook>,
): z.output<typeof newWebhook> {
  return { success, webhook: { ...webhook, secret: open(webhook.secret as SealedSecret) } };
}
