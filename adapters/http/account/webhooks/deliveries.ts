import { z } from 'zod';
import { isRefused } from '../../../../core/refusal.ts';
import { deliveryStates, mostAttempts } from '../../../../core/webhooks/delivery.ts';
import { pageOf, pageQuery } from '../../cursor.ts';
import { text } from '../../fields.ts';
import { accountRoute, type Route } from '../../route.ts';
import { instant } from '../licenses/fields.ts';
import { sellerOf } from '../seller.ts';
import { deliveryItem, oneDelivery, renderDelivery, renderEntry } from './delivery.ts';
import { tag } from './tag.ts';
import { eventType, ofWebhook } from './webhook.ts';
import { sent, type WebhookTools } from './webhook-tools.ts';

const scope = 'webhooks:write';
const ofDelivery = ofWebhook.extend({
  delivery: text(200).meta({ description: 'The id of the delivery.', example: '812' }),
});

export function listDeliveries({ tools, webhooks }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'list-webhook-deliveries',
    tag,
    summary: 'Lists what was sent to a webhook in the last 14 days, newest first',
    description: 'A new delivery or attempt may be missing for some seconds.',
    method: 'get',
    paths: ['/api/webhooks/:id/deliveries'],
    scope,
    params: ofWebhook,
    query: z.object({
      status: z
        .enum(deliveryStates, `It must be one of ${deliveryStates.join(', ')}.`)
        .optional()
        .meta({ example: 'failed' }),
      event: eventType.optional().meta({ example: 'license.activated' }),
      from: instant
        .optional()
        .meta({ description: 'Lists only deliveries made at this time or later.', example: '2026-01-01T00:00:00Z' }),
      to: instant.optional().meta({ description: 'Lists only deliveries made before this time.' }),
      ...pageQuery,
    }),
    answer: pageOf(deliveryItem),
    refusals: ['not_found'],
    async handle({ caller, params, query: { status: state, event: type, from, to, cursor: after, limit } }) {
      const asked = { state, type, from, to, after, limit };
      const page = await webhooks.deliveries(params.id, asked, sellerOf(caller));
      if (isRefused(page)) return sent(page);
      return { success: true as const, data: page.deliveries.map(renderEntry), next_cursor: page.next };
    },
  });
}

export function getDelivery({ tools, webhooks }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'get-webhook-delivery',
    tag,
    summary: 'Returns a delivery with its body and all attempts',
    method: 'get',
    paths: ['/api/webhooks/:id/deliveries/:delivery'],
    scope,
    params: ofDelivery,
    answer: oneDelivery,
    refusals: ['not_found'],
    async handle({ caller, params }) {
      const found = await webhooks.delivery(params.id, params.delivery, sellerOf(caller));
      return isRefused(found) ? sent(found) : { success: true as const, delivery: renderDelivery(found) };
    },
  });
}

export function redeliver({ tools, webhooks }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'redeliver-webhook',
    tag,
    summary: 'Sends a delivery again',
    description: `It is sent at once, with all attempts to come and the same \`webhook-id\`. One that waits stays as it is. After ${mostAttempts} attempts, it cannot be sent again.`,
    method: 'post',
    paths: ['/api/webhooks/:id/deliveries/:delivery/redeliver'],
    scope,
    isIdempotent: true,
    params: ofDelivery,
    answer: oneDelivery,
    refusals: ['not_found', 'conflict'],
    async handle({ caller, params }) {
      const queued = await webhooks.redeliver(params.id, params.delivery, sellerOf(caller));
      return isRefused(queued) ? sent(queued) : { success: true as const, delivery: renderDelivery(queued) };
    },
  });
}

export function testWebhook({ tools, webhooks }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'test-webhook',
    tag,
    summary: 'Sends a sample of an event now',
    description: 'It tells about one of your products, and a license that does not exist.',
    method: 'post',
    paths: ['/api/webhooks/:id/test'],
    scope,
    isIdempotent: true,
    params: ofWebhook,
    body: z.object({ event: eventType.meta({ example: 'license.activated' }) }),
    answer: oneDelivery,
    refusals: ['not_found', 'conflict'],
    async handle({ caller, params, body }) {
      const queued = await webhooks.sendSample(params.id, body.event, sellerOf(caller));
      return isRefused(queued) ? sent(queued) : { success: true as const, delivery: renderDelivery(queued) };
    },
  });
}

export function replayWebhook({ tools, webhooks }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'replay-webhook',
    tag,
    summary: 'Sends all deliveries again that were made since a time',
    description: `The time must be in the last 14 days. Deliveries that wait, and those with ${mostAttempts} attempts, stay as they are.`,
    method: 'post',
    paths: ['/api/webhooks/:id/replay'],
    scope,
    isIdempotent: true,
    params: ofWebhook,
    body: z.object({ since: instant.meta({ description: 'From then on.', example: '2026-01-01T00:00:00Z' }) }),
    answer: z.object({
      success: z.literal(true),
      queued: z.int().meta({ description: 'The number of deliveries.', example: 14 }),
    }),
    refusals: ['not_found', 'conflict'],
    async handle({ caller, params, body }) {
      const queued = await webhooks.replay(params.id, body.since, sellerOf(caller));
      return isRefused(queued) ? sent(queued) : { success: true as const, queued };
    },
  });
}
