import { z } from 'zod';
import { isRefused } from '../../../../../core/refusal.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form, HiddenField } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import { goTo, shown } from '../../answer.ts';
import { formId } from '../../fields.ts';
import { form } from '../../form.ts';
import { newFormId } from '../../once.ts';
import type { DashboardTools } from '../../tools.ts';
import { sellerIn, sellingPath } from '../selling-page.tsx';
import { ShownSecret } from './secret-pages.tsx';
import {
  needsEvents,
  offeredProducts,
  termRefusals,
  termsIn,
  valuesOf,
  WebhookFields,
  webhookFields,
} from './webhook-form.tsx';
import { WebhookFrame } from './webhook-frame.tsx';
import { base, pathOf, type WebhookTools, webhookIn } from './webhook-tools.ts';

const { sellingWebhooks: words } = texts;

/** The forms for a new webhook and for the settings of one. Sending the first one again adds no second webhook. */
export function webhookForms(tools: DashboardTools, own: WebhookTools): Endpoint[] {
  const { webhooks, products, once } = own;
  return [
    ...form(tools, {
      id: 'new-webhook',
      path: `${base}/new`,
      audience: 'user',
      fields: needsEvents(z.object({ ...webhookFields, once: formId })),
      initial: () => ({ access: 'all', events: [] }),
      render: async (visit, state) => (
        <WebhookFrame visit={visit} title={words.newTitle}>
          <Form state={state} submit={words.submit} cancel={`${visit.frame.root}${sellingPath(visit, 'webhooks')}`}>
            <HiddenField name="once" value={newFormId()} />
            <WebhookFields state={state} products={await offeredProducts(products, visit)} />
          </Form>
        </WebhookFrame>
      ),
      async act(visit, { once: id, ...typed }) {
        const made = await once(`${visit.me.login.id}:webhook`, id, () =>
          webhooks.create(termsIn(typed), sellerIn(visit)),
        );
        if (made === 'already_sent') return goTo(sellingPath(visit, 'webhooks'), { notice: 'webhook_sent_before' });
        if (isRefused(made)) return made;
        return shown(
          <ShownSecret visit={visit} of={made.endpoint} title={words.made.title} secret={made.plainSecret}>
            {words.made.lead}
          </ShownSecret>,
        );
      },
      refusals: {
        ...termRefusals,
        too_many_webhooks: { text: words.tooMany },
        forbidden: { text: texts.failure.noRight },
      },
    }),

    ...form(tools, {
      id: 'edit-webhook',
      path: `${base}/:id/edit`,
      audience: 'user',
      fields: needsEvents(z.object(webhookFields)),
      async initial(visit) {
        const { endpoint, product } = await webhookIn(own, visit);
        return valuesOf(endpoint, product);
      },
      async render(visit, state) {
        const { endpoint, product } = await webhookIn(own, visit);
        return (
          <WebhookFrame visit={visit} title={words.editTitle} of={endpoint}>
            <Form state={state} submit={words.save} cancel={`${visit.frame.root}${pathOf(visit, endpoint)}`}>
              <WebhookFields state={state} products={await offeredProducts(products, visit, product)} />
            </Form>
          </WebhookFrame>
        );
      },
      async act(visit, typed) {
        const { endpoint } = await webhookIn(own, visit);
        const changed = await webhooks.change(String(endpoint.id), termsIn(typed), sellerIn(visit));
        return isRefused(changed) ? changed : goTo(pathOf(visit, endpoint), { notice: 'webhook_saved' });
      },
      refusals: { ...termRefusals, webhook_not_found: { text: words.changedMeanwhile } },
    }),
  ];
}
