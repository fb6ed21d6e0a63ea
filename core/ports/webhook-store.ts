import type { Event } from '../events/event.ts';
import type { DeliveryId, UserId, WebhookId } from '../id.ts';
import type { Refused } from '../refusal.ts';
import type { Delivery, DeliveryEntry, DeliveryState, Fault, WaitingDelivery } from '../webhooks/delivery.ts';
import type { Endpoint } from '../webhooks/endpoint.ts';
import type { Happening, WebhookEventType } from '../webhooks/webhook-event.ts';
import type { ChangeById } from './change.ts';
import type { Instant } from './clock.ts';

export interface EndpointFilter {
  readonly isLive: boolean;
  /** `undefined` means those of all owners. */
  readonly ownerId: UserId | undefined;
  /** Only endpoints with smaller ids, for the next page. */
  readonly before?: WebhookId | undefined;
  readonly limit: number;
}

export interface DeliveryFilter {
  readonly endpointId: WebhookId;
  readonly state?: DeliveryState | undefined;
  readonly type?: WebhookEventType | undefined;
  /** Only deliveries that were created at this time or later. */
  readonly from?: Instant | undefined;
  /** Only deliveries that were created before this time. */
  readonly to?: Instant | undefined;
  /** Only deliveries with smaller ids, for the next page. */
  readonly before?: DeliveryId | undefined;
  readonly limit: number;
}

/** The attempts of one hour. */
export interface HourOfAttempts {
  /** The start of the hour. */
  readonly hour: Instant;
  readonly delivered: number;
  readonly failed: number;
}

/** Fetches from a listener. */
export interface Fetching {
  /** Those that the caller has got before. They do not wait any more. */
  readonly done: readonly DeliveryId[];
  readonly now: Instant;
  readonly limit: number;
}

/** The endpoints of sellers, and what was sent to them in the last 14 days. */
export interface WebhookStore {
  /** Refuses if the owner has as many as an account may have, in this mode. */
  add(endpoint: Omit<Endpoint, 'id'>, event: Event): Promise<Endpoint | Refused<'too_many_webhooks'>>;
  find(id: WebhookId): Promise<Endpoint | undefined>;
  /** Newest first. */
  list(filter: EndpointFilter): Promise<Endpoint[]>;
  /** For all changes that people make. An endpoint that is switched on again gets no events from the time when it was off. */
  readonly change: ChangeById<WebhookId, Endpoint>;
  /** Removes an endpoint with its deliveries, at once for readers. Returns whether there was one. */
  remove(id: WebhookId, event: Event): Promise<boolean>;

  /**
   * Returns the waiting deliveries of a listener, oldest first. They wait until they are named in `done`. Without these, it
   * writes nothing but, once an hour, that the listener is used. Returns nothing for an endpoint with an address.
   */
  fetch(endpointId: WebhookId, fetching: Fetching): Promise<WaitingDelivery[]>;
  /**
   * Removes the listeners from which nobody fetched since then, each with its event. Returns how many. Those that are off
   * stay, because nobody can fetch from them. Switching one on counts as a fetch.
   */
  removeIdle(before: Instant, eventOf: (listener: Endpoint) => Event): Promise<number>;

  /** Adds an event for one endpoint only, due at once, even if the endpoint does not subscribe to it. */
  addSample(endpointId: WebhookId, sample: Happening, event: Event): Promise<DeliveryId>;
  findDelivery(id: DeliveryId): Promise<Delivery | undefined>;
  /** Newest first. May be some seconds old. */
  listDeliveries(filter: DeliveryFilter): Promise<DeliveryEntry[]>;
  /**
   * Queues a delivery again, with all its attempts: it is due at once, or waits until its listener fetches it. One that
   * waits already, or has had `mostAttempts`, stays as it is. Returns whether it exists.
   */
  redeliver(id: DeliveryId, event: Event): Promise<boolean>;
  /** Does the same with all deliveries of an endpoint that were created since then. Returns how many were queued. */
  replay(endpointId: WebhookId, since: Instant, event: Event): Promise<number>;
  /** The attempts of each hour since then in which there were any, oldest first. */
  attemptsByHour(endpointId: WebhookId, since: Instant): Promise<HourOfAttempts[]>;
  /** The faults of the deliveries that failed since then, most frequent first. */
  faultsSince(endpointId: WebhookId, since: Instant): Promise<{ readonly fault: Fault; readonly count: number }[]>;
  /** Deletes events, deliveries and attempts that were made before this time. Returns the number of events. */
  forget(before: Instant): Promise<number>;
}
