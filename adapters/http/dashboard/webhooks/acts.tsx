import { z } from 'zod';
import type { ShownWebhook } from '../../../../core/selling/find-webhook.ts';
import { hour, minute } from '../../../../core/time.ts';
import { keptFor } from '../../../../core/webhooks/delivery.ts';
import { webhookEvents, webhookEventTypes } from '../../../../core/webhooks/webhook-event.ts';
import type { Endpoint } from '../../surface.ts';
import { ChoiceField, named, SelectField } from '../../ui/form.tsx';
import { act, actAtOnce } from '../kit/act.tsx';
import { oneOf } from '../kit/fields.ts';
import type { DashboardTools } from '../kit/page.ts';
import { sellerIn, sellingPath } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import type { WebhookTools } from './subject.tsx';
import { words } from './words.ts';

/** The hours of which events can be sent again. */
const ranges = ['1', '24', '72', '168', '336'] as const satisfies (keyof typeof words.replay.ranges)[];

/** The acts on a webhook: on and off, delete, send a sample, and send events again. */
export function webhookActs(
  tools: DashboardTools,
  webhook: Subject<ShownWebhook>,
  { webhooks }: WebhookTools,
): Endpoint[] {
  const { removal, test, replay } = words;
  return [
    ...(['on', 'off'] as const).map((status) =>
      actAtOnce(tools, webhook, {
        id: `switch-webhook-${status}`,
        name: status,
        work: ({ one, visit }) => webhooks.change(String(one.endpoint.id), { isOn: status === 'on' }, sellerIn(visit)),
        notice: `webhook_${status}`,
        refusals: { url_not_allowed: words.changedMeanwhile },
      }),
    ),

    ...act(tools, webhook, {
      id: 'delete-webhook',
      name: 'delete',
      fields: z.object({}),
      ask: () => ({ title: removal.title, lead: removal.lead, submit: removal.submit, isDangerous: true }),
      work: ({ one, visit }) => webhooks.remove(String(one.endpoint.id), sellerIn(visit)),
      to: (_, { visit }) => sellingPath(visit, 'webhooks'),
      notice: 'webhook_removed',
      refusals: {},
    }),

    ...act(tools, webhook, {
      id: 'send-webhook-sample',
      name: 'test',
      fields: z.object({ event: oneOf(webhookEventTypes, words.choose) }),
      ask: () => ({
        title: test.title,
        lead: test.lead,
        fields: (
          <SelectField
            name="event"
            label={test.event}
            options={webhookEventTypes.map((type) => [type, `${type}: ${webhookEvents[type]}`])}
          />
        ),
        submit: test.submit,
      }),
      work: ({ one, visit, fields: { event } }) => webhooks.sendSample(String(one.endpoint.id), event, sellerIn(visit)),
      to: ({ id }, { visit, one }) => `${webhook.about(one, visit).path}/deliveries/${id}`,
      notice: 'sample_queued',
      refusals: { webhook_off: { text: words.isOff } },
    }),

    ...act(tools, webhook, {
      id: 'send-webhook-again',
      name: 'replay',
      fields: z.object({ since: oneOf(ranges, words.choose) }),
      initial: { since: '24' },
      ask: () => ({
        title: replay.title,
        lead: replay.lead,
        fields: <ChoiceField name="since" type="radio" label={replay.since} options={named(ranges, replay.ranges)} />,
        submit: replay.submit,
      }),
      work({ one, visit, fields: { since } }) {
        // A little less than all that is kept, because the clock goes on.
        const back = Math.min(Number(since) * hour, keptFor - minute);
        return webhooks.replay(String(one.endpoint.id), tools.clock.now() - back, sellerIn(visit));
      },
      to: (_, { visit, one }) => `${webhook.about(one, visit).path}/deliveries`,
      notice: 'deliveries_queued',
      refusals: { webhook_off: { text: words.isOff }, invalid_since: { field: 'since', text: words.choose } },
    }),
  ];
}
