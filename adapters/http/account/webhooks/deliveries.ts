import { z } from 'zod';
import { toDeliveryId } from '../../../../core/id.ts';
import { deliveryStates, mostAttempts } from '../../../../core/webhooks/delivery.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { text } from '../../fields.ts';
import { accountRoute, type Route, rendered } from '../../route.ts';
import { instant } from '../licenses/fields.ts';
import { sellerOf } from '../seller.ts';
import {
  answerWithDelivery,
  deliveryItem,
  oneDelivery,
  renderEntry,
  renderWaiting,
  waitingDeliveries,
} from './delivery.ts';
import { eventType, ofWebhook, ours, type WebhookTools } from './webhook.ts';

const ofDelivery = ofWebhook.extend({
  delivery: text(200).meta({ description: 'The id of the delivery.', example: '812' }),
});

/** The most deliveries of one call. */
const most = 100;

/** The calls that show what was sent to a webhook, and that send it again. */
export function deliveryRoutes({ tools, webhooks }: WebhookTools): Route[] {
  return [
    accountRoute(tools, {
      id: 'test-webhook',
      ...ours,
      summary: 'Sends a sample of an event now',
      description: 'The sample is about one of your products, and about a license that does not exist.',
      method: 'post',
      paths: ['/api/webhooks/:id/test'],
      isIdempotent: true,
      params: ofWebhook,
      body: z.object({ event: eventType.meta({ example: 'license.activated' }) }),
      answer: oneDelivery,
      refusals: ['not_found', 'conflict'],
      handle: ({ caller, params, body }) =>
        rendered(webhooks.sendSample(params.id, body.event, sellerOf(caller)), answerWithDelivery),
    }),
    accountRoute(tools, {
      id: 'list-webhook-deliveries',
      ...ours,
      summary: 'Lists what was sent to a webhook in the last 14 days, newest first',
      description: 'A new delivery or attempt may be missing for some seconds.',
      method: 'get',
      paths: ['/api/webhooks/:id/deliveries'],
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
        return rendered(webhooks.deliveries(params.id, asked, sellerOf(caller)), (page) =>
          pageAnswer(page.deliveries.map(renderEntry), page.next),
        );
      },
    }),
    accountRoute(tools, {
      id: 'get-webhook-delivery',
      ...ours,
      summary: 'Returns a delivery with its body and all attempts',
      method: 'get',
      paths: ['/api/webhooks/:id/deliveries/:delivery'],
      params: ofDelivery,
      answer: oneDelivery,
      refusals: ['not_found'],
      handle: ({ caller, params }) =>
        rendered(webhooks.delivery(params.id, params.delivery, sellerOf(caller)), answerWithDelivery),
    }),
    accountRoute(tools, {
      id: 'redeliver-webhook',
      ...ours,
      summary: 'Sends a delivery again',
      description: `It is sent at once, with the same \`webhook-id\`, and gets all its attempts again. A delivery that waits already does not change. After ${mostAttempts} attempts, it cannot be sent again.`,
      method: 'post',
      paths: ['/api/webhooks/:id/deliveries/:delivery/redeliver'],
      isIdempotent: true,
      params: ofDelivery,
      answer: oneDelivery,
      refusals: ['not_found', 'conflict'],
      handle: ({ caller, params }) =>
        rendered(webhooks.redeliver(params.id, params.delivery, sellerOf(caller)), answerWithDelivery),
    }),
    accountRoute(tools, {
      id: 'replay-webhook',
      ...ours,
      summary: 'Sends all deliveries since a time again',
      description: `The time must be in the last 14 days. Deliveries that wait already, and those with ${mostAttempts} attempts, do not change.`,
      method: 'post',
      paths: ['/api/webhooks/:id/replay'],
      isIdempotent: true,
      params: ofWebhook,
      body: z.object({
        since: instant.meta({
          description: 'Deliveries made at this time or later are sent again.',
          example: '2026-01-01T00:00:00Z',
        }),
      }),
      answer: z.object({
        success: z.literal(true),
        queued: z.int().meta({ description: 'The number of deliveries that will be sent again.', example: 14 }),
      }),
      refusals: ['not_found', 'conflict'],
      handle: ({ caller, params, body, gone }) =>
        rendered(webhooks.replay(params.id, body.since, sellerOf(caller), gone()), (queued) => ({
          success: true as const,
          queued,
        })),
    }),
    accountRoute(tools, {
      id: 'fetch-webhook-deliveries',
      ...ours,
      summary: 'Returns the events that wait for a listener, oldest first',
      description:
        'For webhooks without an address. Name what you got in `done` of the next call: until then, the same events are returned. After a failure, you can send a call again as it is.',
      method: 'post',
      paths: ['/api/webhooks/:id/fetch'],
      params: ofWebhook,
      body: z.strictObject({
        done: z
          .array(z.int().min(1))
          .max(most)
          .default([])
          .meta({
            description: 'The ids of deliveries that you got before. They do not wait any more.',
            example: [812],
          }),
        limit: z.int().min(1).max(most).default(most).meta({ example: 50 }),
      }),
      answer: waitingDeliveries,
      refusals: ['not_found', 'conflict'],
      handle: ({ caller, params, body: { done, limit } }) =>
        rendered(webhooks.fetch(params.id, { done: done.map(toDeliveryId), limit }, sellerOf(caller)), (waiting) => ({
          success: true as const,
          data: waiting.map(renderWaiting),
        })),
    }),
  ];
}
