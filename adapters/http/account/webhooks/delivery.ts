import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryEntry,
  deliveryStates,
  faults,
  keptAttempts,
  keptOfAnswer,
  type WaitingDelivery,
} from '../../../../core/webhooks/delivery.ts';
import { webhookEventTypes } from '../../../../core/webhooks/webhook-event.ts';
import { isoOrNull, timestamp } from '../../fields.ts';

const fault = z.enum(faults).nullable().meta({ description: 'Null after a success.', example: 'timeout' });
const headers = (example: object) => z.record(z.string(), z.string()).meta({ example });

export const deliveryItem = z
  .object({
    id: z.int().meta({ example: 812 }),
    webhook_id: z.int().meta({ example: 5 }),
    event_id: z.string().meta({
      description: 'The `webhook-id` of all its attempts, and the `id` in the body.',
      example: 'evt_01jd8x0c5v',
    }),
    event: z.enum(webhookEventTypes).meta({ example: 'license.activated' }),
    status: z.enum(deliveryStates).meta({
      description: '`failed`: it is not tried again by itself. `delivered`, for a listener: it was fetched.',
      example: 'waiting',
    }),
    attempt_count: z.int().meta({ description: 'Attempts since it was last queued.', example: 1 }),
    fault: fault.meta({ description: 'Why the last attempt failed. Null after a success, and before the first.' }),
    is_sample: z.boolean().meta({ description: 'Whether it is a sample that you asked for.', example: false }),
    created_at: timestamp,
    next_attempt_at: timestamp.nullable().meta({ description: 'Null if there will be none.' }),
  })
  .meta({ id: 'AccountWebhookDelivery' });

const attempt = z
  .object({
    number: z.int().meta({ description: 'From 1.', example: 1 }),
    at: timestamp,
    duration_ms: z.int().meta({ example: 143 }),
    fault,
    detail: z.string().meta({
      description: 'Why it failed, in words. Empty after a success.',
      example: 'The receiver did not answer within 30 seconds.',
    }),
    request: z.object({
      url: z.string().meta({ example: 'https://hooks.example.com/latchkey' }),
      headers: headers({ 'content-type': 'application/json', 'webhook-id': 'evt_01jd8x0c5v' }).meta({
        description: 'Without the signatures.',
      }),
    }),
    response: z
      .object({
        status: z.int().meta({ example: 503 }),
        headers: headers({ 'content-type': 'text/plain' }),
        body: z
          .string()
          .meta({ description: `Its first ${keptOfAnswer.toLocaleString('en')} characters.`, example: 'Try later.' }),
      })
      .nullable()
      .meta({ description: 'Null if there was no answer.' }),
  })
  .meta({ id: 'AccountWebhookAttempt' });

const deliveryDetail = deliveryItem
  .extend({
    body: z.string().meta({ description: 'The body, as it is sent.', example: '{"event":"license.activated",…}' }),
    attempts: z.array(attempt).meta({ description: `The last ${keptAttempts}, oldest first.` }),
  })
  .meta({ id: 'AccountWebhookDeliveryDetail' });

export const oneDelivery = z.object({ success: z.literal(true), delivery: deliveryDetail });

const waitingItem = deliveryItem
  .pick({ id: true, event_id: true, event: true, is_sample: true, created_at: true })
  .extend({ body: deliveryDetail.shape.body })
  .meta({ id: 'AccountWaitingWebhookDelivery' });

export const waitingDeliveries = z.object({ success: z.literal(true), data: z.array(waitingItem) });

export function renderWaiting(one: WaitingDelivery): z.output<typeof waitingItem> {
  return {
    id: one.id,
    event_id: one.eventId,
    event: one.type,
    is_sample: one.isTest,
    created_at: iso(one.createdAt),
    body: one.body,
  };
}

export function renderEntry(one: DeliveryEntry): z.output<typeof deliveryItem> {
  return {
    id: one.id,
    webhook_id: one.endpointId,
    event_id: one.eventId,
    event: one.type,
    status: one.state,
    attempt_count: one.attempts,
    fault: one.fault,
    is_sample: one.isTest,
    created_at: iso(one.createdAt),
    next_attempt_at: isoOrNull(one.dueAt),
  };
}

export function answerWithDelivery(delivery: Delivery): z.output<typeof oneDelivery> {
  const attempts = delivery.history.map(renderAttempt);
  return { success: true, delivery: { ...renderEntry(delivery), body: delivery.body, attempts } };
}

function renderAttempt({ number, at, duration, fault, detail, request, answer }: Attempt): z.output<typeof attempt> {
  return {
    number,
    at: iso(at),
    duration_ms: duration,
    fault,
    detail,
    request: { url: request.url, headers: { ...request.headers } },
    response: answer && { status: answer.status, headers: { ...answer.headers }, body: answer.body },
  };
}
