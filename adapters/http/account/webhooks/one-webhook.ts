import { z } from 'zod';
import { isRefused } from '../../../../core/refusal.ts';
import { endpointLimits } from '../../../../core/webhooks/endpoint.ts';
import { pageOf, pageQuery } from '../../cursor.ts';
import { accountRoute, type Route } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { tag } from './tag.ts';
import { newWebhook, ofWebhook, oneWebhook, renderWebhook, terms, urlRule, webhookItem } from './webhook.ts';
import { answerWithSealed, answerWithWebhook, opened, sent, type WebhookTools } from './webhook-tools.ts';

const scope = 'webhooks:write';

export function listWebhooks({ tools, webhooks }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'list-webhooks',
    tag,
    summary: 'Lists your webhooks, newest first; for administrators, all webhooks',
    method: 'get',
    paths: ['/api/webhooks'],
    scope,
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
      const page = await webhooks.list({ ownerId, after, limit }, sellerOf(caller));
      if (isRefused(page)) return sent(page);
      return { success: true as const, data: page.webhooks.map(renderWebhook), next_cursor: page.next };
    },
  });
}

export function createWebhook({ tools, webhooks, box }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'create-webhook',
    tag,
    summary: 'Adds a webhook',
    description: `It gets the events of the mode of the API key. An account has at most ${endpointLimits.perAccount} webhooks in each mode.`,
    method: 'post',
    paths: ['/api/webhooks'],
    scope,
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
    async handle({ caller, body: { url, events, product = null, description = '' } }) {
      return answerWithSealed(await webhooks.create({ url, events, product, description }, sellerOf(caller)));
    },
    complete: (answer) => opened(box, answer),
  });
}

export function getWebhook({ tools, webhooks }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'get-webhook',
    tag,
    summary: 'Returns a webhook',
    method: 'get',
    paths: ['/api/webhooks/:id'],
    scope,
    params: ofWebhook,
    answer: oneWebhook,
    refusals: ['not_found'],
    handle: async ({ caller, params }) => answerWithWebhook(await webhooks.show(params.id, sellerOf(caller))),
  });
}

const edit = z
  .strictObject({
    ...terms,
    status: z
      .enum(['on', 'off'], 'It must be on or off.')
      .meta({ description: '`on` also forgets former failures.', example: 'on' }),
  })
  .partial();

export function changeWebhook({ tools, webhooks }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'change-webhook',
    tag,
    summary: 'Changes the given fields of a webhook',
    description: 'A webhook never gets the events of a time when it was off.',
    method: 'patch',
    paths: ['/api/webhooks/:id'],
    scope,
    params: ofWebhook,
    body: edit,
    answer: oneWebhook,
    refusals: ['not_found'],
    async handle({ caller, params, body: { status, ...patch } }) {
      const isOn = status === undefined ? undefined : status === 'on';
      return answerWithWebhook(await webhooks.change(params.id, { ...patch, isOn }, sellerOf(caller)));
    },
  });
}

export function removeWebhook({ tools, webhooks }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'remove-webhook',
    tag,
    summary: 'Removes a webhook with its deliveries',
    description: 'Events that wait are not sent.',
    method: 'delete',
    paths: ['/api/webhooks/:id'],
    scope,
    params: ofWebhook,
    answer: z.object({ success: z.literal(true) }),
    refusals: ['not_found'],
    async handle({ caller, params }) {
      const refused = await webhooks.remove(params.id, sellerOf(caller));
      return refused ? sent(refused) : { success: true as const };
    },
  });
}

export function rotateSecret({ tools, webhooks, box }: WebhookTools): Route {
  return accountRoute(tools, {
    id: 'rotate-webhook-secret',
    tag,
    summary: 'Gives a webhook a new secret',
    description:
      'For 24 hours, `webhook-signature` also has a signature with the old secret. `X-Service-Signature` has only that of the new one.',
    method: 'post',
    paths: ['/api/webhooks/:id/rotate-secret'],
    scope,
    isIdempotent: true,
    params: ofWebhook,
    answer: newWebhook,
    refusals: ['not_found'],
    handle: async ({ caller, params }) => answerWithSealed(await webhooks.rotateSecret(params.id, sellerOf(caller))),
    complete: (answer) => opened(box, answer),
  });
}
