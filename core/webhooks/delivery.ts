import type { DeliveryId, WebhookId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import { day, hour, minute, second } from '../time.ts';
import type { WebhookEventType } from './webhook-event.ts';

/** Milliseconds to wait after each failed attempt (spec: Events, rule 7). After one more attempt, the delivery has failed. */
export const webhookBackOff = [minute, 5 * minute, 30 * minute, 2 * hour, 12 * hour] as const;
/** Milliseconds in which a receiver must answer (spec: Events, rule 6). */
export const patience = 30 * second;
/** How long events and deliveries are kept, in milliseconds. Older ones cannot be sent again. */
export const keptFor = 14 * day;
/** The most requests to one endpoint at the same time, of all processes together. */
export const inFlight = 5;
/** The number of attempts after which a delivery cannot be sent again. Otherwise a seller could send without end. */
export const mostAttempts = 50;
/** The last attempts of a delivery that are kept. */
export const keptAttempts = 20;
/** The characters of an answer that are kept. */
export const keptOfAnswer = 4_096;

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;
/** `failed`: no more attempts are made, unless somebody sends it again. For a listener, `delivered` means fetched. */
export type DeliveryState = (typeof deliveryStates)[number];

/** Why an attempt failed. `detail` of an attempt says it in words. */
export const faults = [
  'dns',
  'blocked_address',
  'refused',
  'tls',
  'timeout',
  'cut_off',
  'status',
  'redirect',
  'bad_answer',
  'url_not_allowed',
] as const;
export type Fault = (typeof faults)[number];

/** The answer of a receiver. `body` is cut to `keptOfAnswer` characters. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What was sent, without the signatures. */
export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How an attempt ended. It was a success if `fault` is `null`. */
export interface Attempted {
  readonly request: SentRequest;
  readonly answer: Answer | null;
  readonly fault: Fault | null;
  /** In words, for the seller. Empty after a success. Contains no secret. */
  readonly detail: string;
  /** In milliseconds. */
  readonly duration: number;
  /** The wait that the receiver asked for by `Retry-After` with 429 or 503, in milliseconds. */
  readonly retryAfter: number | null;
}

/** A stored attempt. */
export interface Attempt extends Omit<Attempted, 'retryAfter'> {
  /** From 1. */
  readonly number: number;
  readonly at: Instant;
}

/** A delivery in a list. */
export interface DeliveryEntry {
  readonly id: DeliveryId;
  readonly endpointId: WebhookId;
  /** `webhook-id` of all its attempts, and `id` in the body. */
  readonly eventId: string;
  readonly type: WebhookEventType;
  readonly state: DeliveryState;
  /** Attempts since it was last queued. */
  readonly attempts: number;
  readonly createdAt: Instant;
  /** The time of the next attempt. `null` if none will be made. */
  readonly dueAt: Instant | null;
  /** The fault of the last attempt. `null` after a success, and before the first attempt. */
  readonly fault: Fault | null;
  /** A sample that the seller asked for. */
  readonly isTest: boolean;
}

export interface Delivery extends DeliveryEntry {
  /** The body, byte for byte as it is sent. */
  readonly body: string;
  /** The last `keptAttempts`, oldest first. */
  readonly history: readonly Attempt[];
}

/** A delivery of a listener that waits until it is fetched. */
export interface WaitingDelivery extends Pick<Delivery, 'id' | 'eventId' | 'type' | 'isTest' | 'createdAt' | 'body'> {}

/** Whether it was sent so often that it cannot be sent again. */
export function isWornOut({ history }: Pick<Delivery, 'history'>): boolean {
  return (history.at(-1)?.number ?? 0) >= mostAttempts;
}

/** What follows an attempt. */
export type Next = { readonly state: 'delivered' | 'failed' } | { readonly state: 'waiting'; readonly due: Instant };

/** Decides what follows attempt number `attempt` of a delivery. A receiver can ask for a longer wait, up to twice the step. */
export function afterAttempt(
  attempt: number,
  { fault, retryAfter }: Pick<Attempted, 'fault' | 'retryAfter'>,
  now: Instant,
): Next {
  if (fault === null) return { state: 'delivered' };
  const step = webhookBackOff[attempt - 1];
  if (step === undefined) return { state: 'failed' };
  return { state: 'waiting', due: now + Math.min(Math.max(step, retryAfter ?? 0), 2 * step) };
}
