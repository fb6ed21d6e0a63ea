import type { VNode } from 'preact';
import { z } from 'zod';
import { isOfSandbox } from '../../../../core/accounts/user.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { ShownWebhook } from '../../../../core/selling/find-webhook.ts';
import { endpointLimits, type Endpoint as Receiver, type Subscription } from '../../../../core/webhooks/endpoint.ts';
import { optIn, webhookEvents, webhookEventTypes } from '../../../../core/webhooks/webhook-event.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { ChoiceField, Form, HiddenField, named, type Options, SelectField, TextField } from '../../ui/form.tsx';
import type { FormValues } from '../../ui/form-state.ts';
import { Secret } from '../../ui/secret.tsx';
import { failureWords } from '../../ui/words.ts';
import { act } from '../kit/act.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { formId, oneOf, optional, required, someOf } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { newFormId } from '../kit/once.ts';
import type { DashboardTools, SignedInVisit } from '../kit/page.ts';
import type { RefusalMessage } from '../kit/refusal-messages.ts';
import { SellingPage, sellerIn, sellingPath } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { ShownSecret } from './secret-pages.tsx';
import type { WebhookTools } from './subject.tsx';
import { words } from './words.ts';

/** The forms for a new webhook and for the settings of one. Sending the first one again adds no second webhook. */
export function webhookForms(
  tools: DashboardTools,
  webhook: Subject<ShownWebhook>,
  { webhooks, products, once }: WebhookTools,
): Endpoint[] {
  return [
    ...form(tools, {
      id: 'new-webhook',
      path: `/${areas.selling.webhooks}/new`,
      audience: 'user',
      fields: needsEvents(z.object({ ...webhookFields, once: formId })),
      initial: () => ({ access: 'all', events: [] }),
      render: async (visit, state) =>
        isOfSandbox(visit.me.login) ? (
          <NoAddresses visit={visit} />
        ) : (
          <SellingPage visit={visit} at="webhooks" isBelow title={words.newTitle}>
            <Form state={state} submit={words.submit} cancel={`${visit.frame.root}${sellingPath(visit, 'webhooks')}`}>
              <HiddenField name="once" value={newFormId()} />
              <WebhookFields products={await offeredProducts(products, visit)} />
            </Form>
          </SellingPage>
        ),
      async act(visit, { once: id, ...typed }) {
        const made = await once(`${visit.me.login.id}:webhook`, id, () =>
          webhooks.create(termsIn(typed), sellerIn(visit)),
        );
        if (made === 'already_sent') return goTo(sellingPath(visit, 'webhooks'), { notice: 'webhook_sent_before' });
        if (isRefused(made)) return made;
        return shown(
          <ShownSecret visit={visit} webhook={webhook} of={made} title={words.made.title} secret={made.plainSecret}>
            {words.made.lead}
          </ShownSecret>,
        );
      },
      refusals: {
        ...termRefusals,
        product_not_found: termRefusals.unknown_product,
        too_many_webhooks: { text: words.tooMany },
        forbidden: { text: failureWords.noRight },
      },
    }),

    ...act(tools, webhook, {
      id: 'edit-webhook',
      name: 'edit',
      fields: needsEvents(z.object(webhookFields)),
      initial: ({ one }) => valuesOf(one.endpoint, one.product),
      edits: ['access', 'events', 'product'],
      ask: async ({ one, visit }) => ({
        title: words.editTitle,
        fields: <WebhookFields products={await offeredProducts(products, visit, one.product)} />,
        submit: words.save,
      }),
      async work({ one, visit, fields }) {
        const changed = await webhooks.changeSeen(
          String(one.endpoint.id),
          termsIn(fields),
          sellerIn(visit),
          one.endpoint,
        );
        // The product is what was typed, so the form shows the refusal.
        const isUnknown = isRefused(changed) && changed.reason === 'product_not_found';
        return isUnknown ? refuse('unknown_product') : changed;
      },
      notice: 'webhook_saved',
      refusals: termRefusals,
    }),
  ];
}

/** In a sandbox, every address would be refused. */
function NoAddresses({ visit }: { readonly visit: SignedInVisit }): VNode {
  const { lead, label, command, guide } = words.inSandbox;
  return (
    <SellingPage visit={visit} at="webhooks" isBelow title={words.newTitle} scripts={['copy.js']}>
      <p class="intro">{lead}</p>
      <Secret id="command" label={label} value={command} />
      <p>
        <a href={`${visit.frame.root}docs/cli#try-webhooks-on-your-own-computer`}>{guide}</a>
      </p>
    </SellingPage>
  );
}

/** More products than this are not offered in a list. Then the slug is typed. */
const mostOffered = 50;
const accesses = ['all', 'some'] as const;

/** The fields of the forms for a new and for a changed webhook. */
const webhookFields = {
  url: required(endpointLimits.url, words.noUrl),
  access: oneOf(accesses, words.choose),
  events: someOf(webhookEventTypes),
  product: optional(200),
  description: optional(endpointLimits.description),
};
const schema = z.object(webhookFields);
type Typed = z.output<typeof schema>;

/** At least one event must be chosen. */
function needsEvents<Of extends z.ZodType<Pick<Typed, 'access' | 'events'>>>(fields: Of): Of {
  return fields.refine(({ access, events }) => access === 'all' || events.length > 0, {
    path: ['events'],
    message: words.noEvents,
  });
}

/** Returns the values of the form as the use cases take them. */
function termsIn({ url, access, events, product, description }: Typed) {
  const subscription: Subscription = access === 'all' ? '*' : events;
  return { url, events: subscription, product: product === '' ? null : product, description };
}

function valuesOf({ url, events, description }: Receiver, product: ShownWebhook['product']): FormValues {
  return {
    url: url ?? '',
    description,
    product: product?.slug ?? '',
    access: events === '*' ? 'all' : 'some',
    events: events === '*' ? [] : events,
  };
}

const termRefusals = {
  url_not_allowed: { field: 'url', text: ({ detail }) => detail ?? words.noUrl },
  unknown_product: { field: 'product', text: words.unknownProduct },
} as const satisfies Record<string, RefusalMessage>;

/**
 * The person's products as choices, by slug, with the chosen product even if it belongs to somebody else. `undefined`
 * if there are too many for a list.
 */
async function offeredProducts(
  products: WebhookTools['products'],
  visit: SignedInVisit,
  chosen: ShownWebhook['product'] = null,
): Promise<Options | undefined> {
  const filter = { ownerId: visit.me.login.id, limit: mostOffered };
  const found = await products.list(filter, sellerIn(visit));
  if (isRefused(found) || found.next !== null) return undefined;
  const isListed = chosen === null || found.products.some(({ id }) => id === chosen.id);
  return [...found.products, ...(isListed ? [] : [chosen])].map(({ slug, title }) => [slug, title] as const);
}

const eventOptions: Options = webhookEventTypes.map((type) => [
  type,
  <>
    <code>{type}</code>{' '}
    <span class="faint">
      {webhookEvents[type]} {optIn.includes(type) && words.optIn}
    </span>
  </>,
]);

function WebhookFields({ products }: { readonly products: Options | undefined }): VNode {
  return (
    <>
      <TextField name="url" label={words.url} hint={words.urlHint} isCode />
      <ChoiceField
        name="access"
        type="radio"
        label={words.which}
        hint={words.allHint}
        options={named(accesses, words.choices)}
      />
      {/* The style sheet hides the list while it is not needed. */}
      <div class="if-some">
        <ChoiceField name="events" type="checkbox" label={words.events} options={eventOptions} />
      </div>
      {products === undefined ? (
        <TextField name="product" label={words.product} hint={words.productHint} />
      ) : (
        <SelectField name="product" label={words.product} options={[['', words.allProducts], ...products]} />
      )}
      <TextField name="description" label={words.description} hint={words.descriptionHint} />
    </>
  );
}
