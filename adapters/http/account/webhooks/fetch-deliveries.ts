import { z } from 'zod';
import { toDeliveryId } from '../../../../core/id.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { accountRoute, type Route } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { renderWaiting, waitingDeliveries } from './delivery.ts';
import { tag } from './tag.ts';
import { ofWebhook } from './webhook.ts';
import { sent, type WebhookTools } from './webhook-tools.ts';

/** The most deliveries of one call. */
const most = 100;

export function fetchDeliveries({ tools, webhooks }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'fetch-webhook-deliveries',
    tag,
    summary: 'Returns the events that wait for a listener, oldest first',
    description:
      'For webhooks without an address. Name what you got in `done` of the next call: until then, the same events are returned. After a failure, you can send a call again as it is.',
    method: 'post',
    paths: ['/api/webhooks/:id/fetch'],
    scope: 'webhooks:write',
    params: ofWebhook,
    body: z.strictObject({
      done: z
        .array(z.int().min(1))
        .max(most)
        .default([])
        .meta({ description: 'The ids of deliveries that you got before. They do not wait any more.', example: [812] }),
      limit: z.int().min(1).max(most).default(most).meta({ example: 50 }),
    }),
    answer: waitingDeliveries,
    refusals: ['not_found', 'conflict'],
    async handle({ caller, params, body: { done, limit } }) {
      const waiting = await webhooks.fetch(params.id, { done: done.map(toDeliveryId), limit }, sellerOf(caller));
      return isRefused(waiting) ? sent(waiting) : { success: true as const, data: waiting.map(renderWaiting) };
    },
  });
}
