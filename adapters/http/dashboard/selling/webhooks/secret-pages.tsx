import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { isRefused } from '../../../../../core/refusal.ts';
import type { Endpoint as Receiver } from '../../../../../core/webhooks/endpoint.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form } from '../../../ui/form.tsx';
import { Secret } from '../../../ui/secret.tsx';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { form } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn } from '../selling-page.tsx';
import { WebhookFrame } from './webhook-frame.tsx';
import { base, pathOf, type WebhookTools, webhookIn } from './webhook-tools.ts';

const { secret: words, rotate, made } = texts.sellingWebhooks;

/** Showing the secret, and changing it. Both ask for the password again. */
export function secretPages(tools: DashboardTools, own: Pick<WebhookTools, 'webhooks'>): Endpoint[] {
  return [
    ...form(tools, {
      id: 'webhook-secret',
      path: `${base}/:id/secret`,
      audience: 'user',
      isSensitive: true,
      fields: z.object({}),
      async render(visit, state) {
        const { endpoint } = await webhookIn(own, visit);
        return (
          <WebhookFrame visit={visit} title={words.title} of={endpoint}>
            <p class="intro">{words.lead}</p>
            <Form state={state} submit={words.submit} cancel={`${visit.frame.root}${pathOf(visit, endpoint)}`} />
          </WebhookFrame>
        );
      },
      async act(visit) {
        const { endpoint } = await webhookIn(own, visit);
        const secret = orFail(await own.webhooks.revealSecret(String(endpoint.id), sellerIn(visit), visit.me));
        if (isRefused(secret)) return secret;
        return shown(<ShownSecret visit={visit} of={endpoint} title={words.shownTitle} secret={secret} />);
      },
      refusals: {},
    }),

    ...form(tools, {
      id: 'rotate-webhook-secret-page',
      path: `${base}/:id/rotate-secret`,
      audience: 'user',
      isSensitive: true,
      fields: z.object({}),
      async render(visit, state) {
        const { endpoint } = await webhookIn(own, visit);
        return (
          <WebhookFrame visit={visit} title={rotate.title} of={endpoint}>
            <p class="intro">{rotate.lead}</p>
            <Form state={state} submit={rotate.submit} cancel={`${visit.frame.root}${pathOf(visit, endpoint)}`} />
          </WebhookFrame>
        );
      },
      async act(visit) {
        const { endpoint } = await webhookIn(own, visit);
        const changed = orFail(await own.webhooks.rotateSecret(String(endpoint.id), sellerIn(visit)));
        return shown(
          <ShownSecret visit={visit} of={endpoint} title={rotate.shownTitle} secret={changed.plainSecret}>
            {rotate.shownLead}
          </ShownSecret>,
        );
      },
      refusals: {},
    }),
  ];
}

/** A page with the secret of a webhook. */
export function ShownSecret({
  visit,
  of,
  title,
  secret,
  children,
}: {
  readonly visit: SignedInVisit;
  readonly of: Receiver;
  readonly title: string;
  readonly secret: string;
  /** What to do with it. */
  readonly children?: ComponentChildren;
}): VNode {
  const { root } = visit.frame;
  return (
    <WebhookFrame visit={visit} title={title} of={of} scripts={['copy.js']}>
      <section class="panel marked">
        {children !== undefined && <p>{children}</p>}
        <Secret id="secret" label={words.label} value={secret} />
      </section>
      <p class="choices">
        <a class="button primary" href={`${root}${pathOf(visit, of)}`}>
          {made.toWebhook}
        </a>
        <a class="button" href={`${root}docs/webhooks`}>
          {texts.sellingWebhooks.guide}
        </a>
      </p>
    </WebhookFrame>
  );
}
