import type { ProductId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import { type Endpoint, healthy, type Subscription, sortedEvents } from '../webhooks/endpoint.ts';

/** What to change. What is left out stays. */
export interface WebhookPatch {
  readonly url?: string | undefined;
  readonly events?: Subscription | undefined;
  /** The id or slug of one of the owner's products. `null` means all of them. */
  readonly product?: string | null | undefined;
  readonly description?: string | undefined;
  readonly isOn?: boolean | undefined;
}

/** A patch whose product is known to be one of the owner's. */
interface CheckedPatch extends Omit<WebhookPatch, 'product'> {
  readonly productId?: ProductId | null | undefined;
}

/**
 * Applies a patch. Returns the names of the fields that differ. An endpoint that is switched on, or that gets another
 * URL, starts without failures.
 */
export function editWebhook(
  before: Endpoint,
  { url, events, productId, description, isOn }: CheckedPatch,
  now: Instant,
): { readonly after: Endpoint; readonly fields: readonly string[] } {
  const wanted = {
    url: url ?? before.url,
    events: events === undefined ? before.events : sortedEvents(events),
    productId: productId === undefined ? before.productId : productId,
    description: description ?? before.description,
    off: isOn === undefined ? before.off : isOn ? null : (before.off ?? 'seller'),
  } as const;
  const fields = [
    ...(wanted.url === before.url ? [] : ['url']),
    ...(String(wanted.events) === String(before.events) ? [] : ['events']),
    ...(wanted.productId === before.productId ? [] : ['product']),
    ...(wanted.description === before.description ? [] : ['description']),
    ...(wanted.off === before.off ? [] : ['status']),
  ];
  const isNew = wanted.url !== before.url || (before.off !== null && wanted.off === null);
  const health = isNew ? healthy : before.health;
  return { after: fields.length === 0 ? before : { ...before, ...wanted, health, updatedAt: now }, fields };
}

/** Whether everything that a patch can change is the same. */
export function isSameEdit(one: Endpoint, other: Endpoint): boolean {
  return (
    editWebhook(one, { ...other, url: other.url ?? undefined, isOn: other.off === null }, one.updatedAt).fields
      .length === 0
  );
}
