import { z } from 'zod';
import { endpointLimits } from '../../../../core/webhooks/endpoint.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { accountRoute, type Route, rendered } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { deliveryRoutes } from './deliveries.ts';
import {
  answerWithSealed,
  answerWithWebhook,
  faults,
  newWebhook,
  ofWebhook,
  oneWebhook,
  opened,
  ours,
  renderWebhook,
  terms,
  urlRule,
  type WebhookTools,
  webhookItem,
} from './webhook.ts';

const edit = z
  .strictObject({
    ...terms,
    status: z
      .enum(['on', 'off'], 'It must be on or off.')
      .meta({ description: '`on` also forgets former failures.', example: 'on' }),
  })
  .partial();

/** In the order of the API reference. */
export function webhookRoutes(own: WebhookTools): Route[] {
  const { tools, webhooks, box } = own;
  return [
    accountRoute(tools, {
      id: 'list-webhooks',
      ...ours,
      summary: 'Lists your webhooks, newest first; for administrators, all webhooks',
      method: 'get',
      paths: ['/api/webhooks'],
      query: z.object({
        mine: z
          .enum(['true', 'false'], 'It must be true or false.')
          .optional()
          .transform((value) => value === 'true')
          .meta({ description: '`true`: only your own webhooks, also for administrators.', example: 'false' }),
        ...pageQuery,
      }),
      answer: pageOf(webhookItem),
      refusals: ['forbidden'],
      async handle({ caller, query: { mine, cursor: after, limit } }) {
        const ownerId = mine ? caller.user.id : undefined;
        return rendered(webhooks.list({ ownerId, after, limit }, sellerOf(caller)), (page) =>
          pageAnswer(page.webhooks.map(renderWebhook), page.next),
        );
      },
    }),
    accountRoute(tools, {
      id: 'create-webhook',
      ...ours,
      summary: 'Adds a webhook',
      description: `It gets the events of the mode of the API key. An account has at most ${endpointLimits.perAccount} webhooks in each mode.`,
      method: 'post',
      paths: ['/api/webhooks'],
      isIdempotent: true,
      body: z.strictObject({
        url: terms.url.nullable().meta({
          description: `${urlRule} Null adds a listener: nothing is sent, you fetch its events instead. A listener that nobody uses for a day is removed within another day, unless you switched it off.`,
          example: 'https://hooks.example.com/latchkey',
        }),
        events: terms.events,
        product: terms.product.optional(),
        description: terms.description.optional(),
      }),
      answer: newWebhook,
      refusals: ['conflict', 'forbidden'],
      faults,
      handle: ({ caller, body: { url, events, product = null, description = '' } }) =>
        rendered(webhooks.create({ url, events, product, description }, sellerOf(caller)), answerWithSealed),
      complete: (answer) => opened(box, answer),
    }),
    accountRoute(tools, {
      id: 'get-webhook',
      ...ours,
      summary: 'Returns a webhook',
      method: 'get',
      paths: ['/api/webhooks/:id'],
      params: ofWebhook,
      answer: oneWebhook,
      refusals: ['not_found'],
      handle: ({ caller, params }) => rendered(webhooks.show(params.id, sellerOf(caller)), answerWithWebhook),
    }),
    accountRoute(tools, {
      id: 'change-webhook',
      ...ours,
      summary: 'Changes the given fields of a webhook',
      description: 'A webhook never gets the events of a time when it was off.',
      method: 'patch',
      paths: ['/api/webhooks/:id'],
      params: ofWebhook,
      body: edit,
      answer: oneWebhook,
      refusals: ['not_found'],
      faults,
      async handle({ caller, params, body: { status, ...patch } }) {
        const isOn = status === undefined ? undefined : status === 'on';
        return rendered(webhooks.change(params.id, { ...patch, isOn }, sellerOf(caller)), answerWithWebhook);
      },
    }),
    accountRoute(tools, {
      id: 'remove-webhook',
      ...ours,
      summary: 'Removes a webhook with its deliveries',
      description: 'Events that wait are not sent.',
      method: 'delete',
      paths: ['/api/webhooks/:id'],
      params: ofWebhook,
      answer: z.object({ success: z.literal(true) }),
      refusals: ['not_found'],
      async handle({ caller, params }) {
        const refused = await webhooks.remove(params.id, sellerOf(caller));
        return refused ?? { success: true as const };
      },
    }),
    accountRoute(tools, {
      id: 'rotate-webhook-secret',
      ...ours,
      summary: 'Gives a webhook a new secret',
      description:
        'For 24 hours, `webhook-signature` also has a signature with the old secret. `X-Service-Signature` has only that of the new one.',
      method: 'post',
      paths: ['/api/webhooks/:id/rotate-secret'],
      isIdempotent: true,
      params: ofWebhook,
      answer: newWebhook,
      refusals: ['not_found'],
      handle: ({ caller, params }) => rendered(webhooks.rotateSecret(params.id, sellerOf(caller)), answerWithSealed),
      complete: (answer) => opened(box, answer),
    }),
    ...deliveryRoutes(own),
  ];
}
