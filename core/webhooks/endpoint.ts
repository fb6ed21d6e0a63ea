import type { ProductId, UserId, WebhookId } from '../id.ts';
import { normalizeDomain } from '../licensing/domain-name.ts';
import type { Instant } from '../ports/clock.ts';
import { day } from '../time.ts';
import { type Happening, optIn, type WebhookEventType, webhookEventTypes } from './webhook-event.ts';

/** A secret as it is stored: encrypted. */
export type SealedSecret = string & { readonly sealed: unique symbol };

/** Which events an endpoint gets. `*` means all but those that are opt-in, also those that are added later. */
export type Subscription = '*' | readonly WebhookEventType[];

/** `failures`: nothing but failures for five days. */
export type WhyOff = 'seller' | 'failures';

/** What receives events of a seller: an address, or a listener, whose owner fetches the events. */
export interface Endpoint {
  readonly id: WebhookId;
  readonly ownerId: UserId;
  readonly isLive: boolean;
  /** Where events are sent. `null` for a listener: nothing is ever sent to it. */
  readonly url: string | null;
  readonly description: string;
  readonly events: Subscription;
  /** Only events about this product. `null` means those of all products of the owner. */
  readonly productId: ProductId | null;
  readonly secret: SealedSecret;
  /** The secret before the last rotation. It still signs until this time. */
  readonly oldSecret: { readonly secret: SealedSecret; readonly until: Instant } | null;
  /** Why it gets no events. `null` if it is on. */
  readonly off: WhyOff | null;
  readonly health: Health;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** An endpoint to which events are sent. */
export interface AddressedEndpoint extends Endpoint {
  readonly url: string;
}

/** How long a listener stays from which nobody fetches, in milliseconds. */
export const listenerLife = day;

/** How deliveries to an endpoint go. */
export interface Health {
  /** The time of the first failed attempt since the last success. `null` if the last attempt was a success. */
  readonly failingSince: Instant | null;
  /** When a delivery to it failed for good. `null` again after the next success. */
  readonly failedAt: Instant | null;
  /** When its owner was told that it will be switched off. `null` again after the next success. */
  readonly warnedAt: Instant | null;
}

export const healthy: Health = { failingSince: null, failedAt: null, warnedAt: null };

export const endpointLimits = { perAccount: 20, url: 2_000, description: 200 } as const;

/** How an endpoint is doing. `failing`: its last attempt failed. `failed`: a delivery to it has failed for good. */
export const endpointStates = ['on', 'failing', 'failed', 'off'] as const;
export type EndpointState = (typeof endpointStates)[number];

export function stateOf({ off, health }: Pick<Endpoint, 'off' | 'health'>): EndpointState {
  if (off !== null) return 'off';
  if (health.failedAt !== null) return 'failed';
  return health.failingSince === null ? 'on' : 'failing';
}

/** Returns the same events, each once, in the order of the table. */
export function sortedEvents(events: Subscription): Subscription {
  return events === '*' ? events : webhookEventTypes.filter((type) => events.includes(type));
}

/** Whether the endpoint gets this event. It must be one of the owner's, in the same mode. */
export function receives(
  { events, productId, off }: Pick<Endpoint, 'events' | 'productId' | 'off'>,
  { type, product }: Pick<Happening, 'type' | 'product'>,
): boolean {
  if (off !== null || (productId !== null && productId !== product.id)) return false;
  return events === '*' ? !optIn.includes(type) : events.includes(type);
}

/** The name of an endpoint in the audit trail: only its host, because its URL can contain a secret. */
export function auditName(url: string | null): string {
  return url === null ? 'listener' : (normalizeDomain(url) ?? 'webhook');
}
