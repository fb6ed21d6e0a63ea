import type { VNode } from 'preact';
import { z } from 'zod';
import { isRefused } from '../../../../../core/refusal.ts';
import type { ShownWebhook } from '../../../../../core/selling/find-webhook.ts';
import { endpointLimits, type Endpoint as Receiver, type Subscription } from '../../../../../core/webhooks/endpoint.ts';
import { optIn, webhookEvents, webhookEventTypes } from '../../../../../core/webhooks/webhook-event.ts';
import { ChoiceField, type Options, SelectField, TextField } from '../../../ui/form.tsx';
import type { FormState, FormValues } from '../../../ui/form-state.ts';
import { texts } from '../../../ui/texts.ts';
import { oneOf, optional, required, someOf } from '../../fields.ts';
import type { RefusalMessage } from '../../form.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn } from '../selling-page.tsx';
import type { WebhookTools } from './webhook-tools.ts';

const { sellingWebhooks: words } = texts;
/** More products than this are not offered in a list. Then the slug is typed. */
const mostOffered = 50;
const accesses = ['all', 'some'] as const;

/** The fields of the forms for a new and for a changed webhook. */
export const webhookFields = {
  url: required(endpointLimits.url, words.noUrl),
  access: oneOf(accesses, words.choose),
  events: someOf(webhookEventTypes),
  product: optional(200),
  description: optional(endpointLimits.description),
};
const schema = z.object(webhookFields);
type Typed = z.output<typeof schema>;

/** At least one event must be chosen. */
export function needsEvents<Of extends z.ZodType<Pick<Typed, 'access' | 'events'>>>(fields: Of): Of {
  return fields.refine(({ access, events }) => access === 'all' || events.length > 0, {
    path: ['events'],
    message: words.noEvents,
  });
}

/** Returns the values of the form as the use cases take them. */
export function termsIn({ url, access, events, product, description }: Typed) {
  const subscription: Subscription = access === 'all' ? '*' : events;
  return { url, events: subscription, product: product === '' ? null : product, description };
}

export function valuesOf({ url, events, description }: Receiver, product: ShownWebhook['product']): FormValues {
  return {
    url: url ?? '',
    description,
    product: product?.slug ?? '',
    access: events === '*' ? 'all' : 'some',
    events: events === '*' ? [] : events,
  };
}

export const termRefusals = {
  url_not_allowed: { field: 'url', text: ({ detail }) => detail ?? words.noUrl },
  product_not_found: { field: 'product', text: words.unknownProduct },
} as const satisfies Record<string, RefusalMessage>;

/**
 * The person's products as choices, by slug, with the chosen product even if it belongs to somebody else. `undefined`
 * if there are too many for a list.
 */
export async function offeredProducts(
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

export function WebhookFields({
  state,
  products,
}: {
  readonly state: FormState;
  readonly products: Options | undefined;
}): VNode {
  return (
    <>
      <TextField state={state} name="url" label={words.url} hint={words.urlHint} isCode />
      <ChoiceField
        state={state}
        name="access"
        type="radio"
        label={words.which}
        hint={words.allHint}
        options={accesses.map((one) => [one, words.choices[one]])}
      />
      {/* The style sheet hides the list while it is not needed. */}
      <div class="if-some">
        <ChoiceField state={state} name="events" type="checkbox" label={words.events} options={eventOptions} />
      </div>
      {products === undefined ? (
        <TextField state={state} name="product" label={words.product} hint={words.productHint} />
      ) : (
        <SelectField
          state={state}
          name="product"
          label={words.product}
          options={[['', words.allProducts], ...products]}
        />
      )}
      <TextField state={state} name="description" label={words.description} hint={words.descriptionHint} />
    </>
  );
}
