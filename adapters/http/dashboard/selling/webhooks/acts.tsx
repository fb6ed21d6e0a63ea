import { z } from 'zod';
import { isRefused } from '../../../../../core/refusal.ts';
import { keptFor } from '../../../../../core/webhooks/delivery.ts';
import { webhookEvents, webhookEventTypes } from '../../../../../core/webhooks/webhook-event.ts';
import type { Endpoint } from '../../../surface.ts';
import { ChoiceField, Form, SelectField } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { oneOf } from '../../fields.ts';
import { click, form } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import { sellerIn, sellingPath } from '../selling-page.tsx';
import { WebhookFrame } from './webhook-frame.tsx';
import { base, pathOf, type WebhookTools, webhookIn } from './webhook-tools.ts';

const { sellingWebhooks: words } = texts;
const hour = 3_600_000;
const minute = 60_000;

/** The hours of which events can be sent again. */
const ranges = ['1', '24', '72', '168', '336'] as const satisfies (keyof typeof words.replay.ranges)[];

/** The acts on a webhook, and on a delivery. */
export function webhookActs(tools: DashboardTools, own: Pick<WebhookTools, 'webhooks'>): Endpoint[] {
  const { webhooks } = own;
  return [
    ...(['on', 'off'] as const).map((status) =>
      click(tools, {
        id: `switch-webhook-${status}`,
        path: `${base}/:id/${status}`,
        audience: 'user',
        async act(visit) {
          const { endpoint } = await webhookIn(own, visit);
          const changed = await webhooks.change(String(endpoint.id), { isOn: status === 'on' }, sellerIn(visit));
          return isRefused(changed) ? changed : goTo(pathOf(visit, endpoint), { notice: `webhook_${status}` });
        },
        refusals: {
          webhook_not_found: words.changedMeanwhile,
          url_not_allowed: words.changedMeanwhile,
          product_not_found: words.changedMeanwhile,
        },
      }),
    ),

    ...form(tools, {
      id: 'delete-webhook',
      path: `${base}/:id/delete`,
      audience: 'user',
      fields: z.object({}),
      async render(visit, state) {
        const { endpoint } = await webhookIn(own, visit);
        const back = `${visit.frame.root}${pathOf(visit, endpoint)}`;
        return (
          <WebhookFrame visit={visit} title={words.removal.title} of={endpoint}>
            <p class="intro">{words.removal.lead}</p>
            <Form state={state} submit={words.removal.submit} cancel={back} isDangerous />
          </WebhookFrame>
        );
      },
      async act(visit) {
        const { endpoint } = await webhookIn(own, visit);
        orFail(await webhooks.remove(String(endpoint.id), sellerIn(visit)));
        return goTo(sellingPath(visit, 'webhooks'), { notice: 'webhook_removed' });
      },
      refusals: {},
    }),

    ...form(tools, {
      id: 'send-webhook-sample',
      path: `${base}/:id/test`,
      audience: 'user',
      fields: z.object({ event: oneOf(webhookEventTypes, words.choose) }),
      async render(visit, state) {
        const { endpoint } = await webhookIn(own, visit);
        return (
          <WebhookFrame visit={visit} title={words.test.title} of={endpoint}>
            <p class="intro">{words.test.lead}</p>
            <Form state={state} submit={words.test.submit} cancel={`${visit.frame.root}${pathOf(visit, endpoint)}`}>
              <SelectField
                state={state}
                name="event"
                label={words.test.event}
                options={webhookEventTypes.map((type) => [type, `${type}: ${webhookEvents[type]}`])}
              />
            </Form>
          </WebhookFrame>
        );
      },
      async act(visit, { event }) {
        const { endpoint } = await webhookIn(own, visit);
        const sent = orFail(await webhooks.sendSample(String(endpoint.id), event, sellerIn(visit)));
        if (isRefused(sent)) return sent;
        return goTo(pathOf(visit, endpoint, `/deliveries/${sent.id}`), { notice: 'sample_queued' });
      },
      refusals: { webhook_off: { text: words.isOff } },
    }),

    ...form(tools, {
      id: 'send-webhook-again',
      path: `${base}/:id/replay`,
      audience: 'user',
      fields: z.object({ since: oneOf(ranges, words.choose) }),
      initial: () => ({ since: '24' }),
      async render(visit, state) {
        const { endpoint } = await webhookIn(own, visit);
        return (
          <WebhookFrame visit={visit} title={words.replay.title} of={endpoint}>
            <p class="intro">{words.replay.lead}</p>
            <Form state={state} submit={words.replay.submit} cancel={`${visit.frame.root}${pathOf(visit, endpoint)}`}>
              <ChoiceField
                state={state}
                name="since"
                type="radio"
                label={words.replay.since}
                options={ranges.map((one) => [one, words.replay.ranges[one]])}
              />
            </Form>
          </WebhookFrame>
        );
      },
      async act(visit, { since }) {
        const { endpoint } = await webhookIn(own, visit);
        // A little less than all that is kept, because the clock goes on.
        const back = Math.min(Number(since) * hour, keptFor - minute);
        const from = tools.clock.now() - back;
        const queued = orFail(await webhooks.replay(String(endpoint.id), from, sellerIn(visit)));
        if (isRefused(queued)) return queued;
        return goTo(pathOf(visit, endpoint, '/deliveries'), { notice: 'deliveries_queued' });
      },
      refusals: { webhook_off: { text: words.isOff }, invalid_since: { field: 'since', text: words.choose } },
    }),

    click(tools, {
      id: 'redeliver-webhook-page',
      path: `${base}/:id/deliveries/:delivery/redeliver`,
      audience: 'user',
      async act(visit) {
        const { id = '', delivery = '' } = visit.params;
        const sent = orFail(await webhooks.redeliver(id, delivery, sellerIn(visit)));
        if (isRefused(sent)) return sent;
        return goTo(sellingPath(visit, `webhooks/${sent.endpointId}/deliveries/${sent.id}`), {
          notice: 'delivery_queued',
        });
      },
      refusals: { webhook_off: words.isOff, sent_too_often: words.sentTooOften },
    }),
  ];
}
