import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import type { ShownWebhook } from '../../../../core/selling/find-webhook.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Form, HiddenField } from '../../ui/form.tsx';
import { Secret } from '../../ui/secret.tsx';
import { shown } from '../kit/answer.ts';
import { digestsOf } from '../kit/edits.ts';
import { hiddenText } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { type DashboardTools, orFail, type SignedInVisit } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import { type Subject, SubjectPage, visitSubject } from '../kit/subject-page.tsx';
import type { WebhookTools } from './subject.tsx';
import { words } from './words.ts';

/** A form that asks for the password, and then shows a secret. */
interface SecretPage {
  readonly id: string;
  readonly path: string;
  readonly texts: Readonly<Record<'title' | 'lead' | 'submit' | 'shownTitle', string>> & {
    readonly shownLead: string | undefined;
  };
  show(visit: SignedInVisit, one: ShownWebhook): Promise<string | Refused<'confirmation_needed' | 'changed_meanwhile'>>;
}

/** Showing the secret, and changing it. Both ask for the password again. */
export function secretPages(
  tools: DashboardTools,
  webhook: Subject<ShownWebhook>,
  { webhooks }: WebhookTools,
): Endpoint[] {
  const pages = ({ id, path, texts, show }: SecretPage) =>
    form(tools, {
      id,
      path: `${webhook.path}/${path}`,
      audience: 'user',
      isSensitive: true,
      fields: z.object({ secret: hiddenText }),
      async render(visit, state) {
        const { one, address } = await visitSubject(webhook, visit);
        return (
          <SubjectPage visit={visit} about={webhook.about(one, visit)} title={texts.title}>
            <p class="intro">{texts.lead}</p>
            <Form state={state} submit={texts.submit} cancel={address}>
              <HiddenField name="secret" value={digestOf(one)} />
            </Form>
          </SubjectPage>
        );
      },
      async act(visit, { secret: seen }) {
        const one = await webhook.find(visit);
        if (seen !== '' && seen !== digestOf(one)) return refuse('changed_meanwhile');
        const secret = await show(visit, one);
        if (isRefused(secret)) return secret;
        return shown(
          <ShownSecret visit={visit} webhook={webhook} of={one} title={texts.shownTitle} secret={secret}>
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
      texts: { ...words.secret, shownLead: undefined },
      show: async (visit, one) => orFail(await webhooks.revealSecret(idOf(one), sellerIn(visit), visit.me)),
    }),
    ...pages({
      id: 'rotate-webhook-secret-page',
      path: 'rotate-secret',
      texts: words.rotate,
      async show(visit, one) {
        const rotated = orFail(await webhooks.rotateSeenSecret(idOf(one), sellerIn(visit), one.endpoint));
        return isRefused(rotated) ? rotated : rotated.plainSecret;
      },
    }),
  ];
}

/** Says which secret the form was opened with, so that nobody replaces one that was made meanwhile. */
function digestOf({ endpoint: { secret } }: ShownWebhook): string {
  return digestsOf({ secret });
}

function idOf({ endpoint }: ShownWebhook): string {
  return String(endpoint.id);
}

/** A page with the secret of a webhook. */
export function ShownSecret({
  visit,
  webhook,
  of,
  title,
  secret,
  children,
}: {
  readonly visit: SignedInVisit;
  readonly webhook: Subject<ShownWebhook>;
  readonly of: ShownWebhook;
  readonly title: string;
  readonly secret: string;
  /** Instructions for using the secret. */
  readonly children?: ComponentChildren;
}): VNode {
  const { root } = visit.frame;
  const about = webhook.about(of, visit);
  return (
    <SubjectPage visit={visit} about={about} title={title} scripts={['copy.js']}>
      <section class="panel marked">
        {children !== undefined && <p>{children}</p>}
        <Secret id="secret" label={words.secret.label} value={secret} />
      </section>
      <p class="choices">
        <ButtonLink href={`${root}${about.path}`} text={words.made.toWebhook} look="primary" />
        <ButtonLink href={`${root}docs/webhooks`} text={words.guide} />
      </p>
    </SubjectPage>
  );
}
