import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { isRefused, type Refused } from '../../../../../core/refusal.ts';
import type { Endpoint as Receiver } from '../../../../../core/webhooks/endpoint.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form } from '../../../ui/form.tsx';
import { Secret } from '../../../ui/secret.tsx';
import { texts as allTexts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { form } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn } from '../selling-page.tsx';
import { WebhookFrame } from './webhook-frame.tsx';
import { base, pathOf, type WebhookTools, webhookIn } from './webhook-tools.ts';

const { secret: words, rotate, made } = allTexts.sellingWebhooks;

/** Showing the secret, and changing it. Both ask for the password again. */
export function secretPages(tools: DashboardTools, { webhooks }: Pick<WebhookTools, 'webhooks'>): Endpoint[] {
  const pages = ({ id, path, texts, show }: SecretPage) =>
    form(tools, {
      id,
      path: `${base}/:id/${path}`,
      audience: 'user',
      isSensitive: true,
      fields: z.object({}),
      async render(visit, state) {
        const { endpoint } = await webhookIn({ webhooks }, visit);
        return (
          <WebhookFrame visit={visit} title={texts.title} of={endpoint}>
            <p class="intro">{texts.lead}</p>
            <Form state={state} submit={texts.submit} cancel={`${visit.frame.root}${pathOf(visit, endpoint)}`} />
          </WebhookFrame>
        );
      },
      async act(visit) {
        const { endpoint } = await webhookIn({ webhooks }, visit);
        const secret = await show(visit, String(endpoint.id));
        if (isRefused(secret)) return secret;
        return shown(
          <ShownSecret visit={visit} of={endpoint} title={texts.shownTitle} secret={secret}>
            {texts.shownLead}
          </ShownSecret>,
        );
      },
      refusals: {},
    });
  return [
    ...pages({
      id: 'webhook-secret',
      path: 'secret',
      texts: { ...words, shownLead: undefined },
      show: async (visit, id) => orFail(await webhooks.revealSecret(id, sellerIn(visit), visit.me)),
    }),
    ...pages({
      id: 'rotate-webhook-secret-page',
      path: 'rotate-secret',
      texts: rotate,
      show: async (visit, id) => orFail(await webhooks.rotateSecret(id, sellerIn(visit))).plainSecret,
    }),
  ];
}

/** A form that asks for the password, and then shows a secret. */
interface SecretPage {
  readonly id: string;
  readonly path: string;
  readonly texts: Readonly<Record<'title' | 'lead' | 'submit' | 'shownTitle', string>> & {
    readonly shownLead: string | undefined;
  };
  show(visit: SignedInVisit, id: string): Promise<string | Refused<'confirmation_needed'>>;
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
  /** Instructions for using the secret. */
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
          {allTexts.sellingWebhooks.guide}
        </a>
      </p>
    </WebhookFrame>
  );
}
