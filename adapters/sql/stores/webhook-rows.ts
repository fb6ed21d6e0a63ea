import { toDeliveryId, toProductId, toUserId, toWebhookId } from '../../../core/id.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Attempt, DeliveryEntry, DeliveryState, Fault } from '../../../core/webhooks/delivery.ts';
import type { Endpoint, SealedSecret, Subscription, WhyOff } from '../../../core/webhooks/endpoint.ts';
import type { WebhookEventType } from '../../../core/webhooks/webhook-event.ts';

/** A row of `webhook_endpoints`, without the columns of its turns. */
export interface EndpointRow {
  readonly id: number;
  readonly owner_id: number;
  readonly is_live: number;
  /** Empty for a listener. */
  readonly url: string;
  readonly description: string;
  /** `*`, or types with blanks in between. */
  readonly events: string;
  readonly product_id: number | null;
  readonly secret: string;
  readonly old_secret: string | null;
  readonly old_secret_until: Instant | null;
  readonly off_reason: string | null;
  readonly failing_since: Instant | null;
  readonly failed_at: Instant | null;
  readonly warned_at: Instant | null;
  readonly created_at: Instant;
  readonly updated_at: Instant;
}

export interface DeliveryRow {
  readonly id: number;
  readonly endpoint_id: number;
  readonly event_id: number;
  readonly type: string;
  readonly is_test: number;
  readonly state: string;
  readonly attempts: number;
  readonly made: number;
  readonly due: Instant | null;
  readonly fault: string | null;
  readonly attempted_at: Instant | null;
  readonly created_at: Instant;
}

/** `name` is the id of the event that receivers see. */
export interface DeliveryWithName extends DeliveryRow {
  readonly name: string;
}

export interface AttemptRow {
  readonly delivery_id: number;
  readonly number: number;
  readonly at: Instant;
  /** JSON. */
  readonly request: string;
  /** JSON. */
  readonly answer: string | null;
  readonly fault: string | null;
  readonly detail: string;
  readonly duration: number;
}

export function toSubscription(events: string): Subscription {
  return events === '*' ? '*' : (events.split(' ').filter(Boolean) as WebhookEventType[]);
}

/** Whether its owner fetches the events. Nothing is sent to it. */
export function isListener({ url }: Pick<EndpointRow, 'url'>): boolean {
  return url === '';
}

export function toEndpoint(row: EndpointRow): Endpoint {
  return {
    id: toWebhookId(row.id),
    ownerId: toUserId(row.owner_id),
    isLive: row.is_live === 1,
    url: isListener(row) ? null : row.url,
    description: row.description,
    events: toSubscription(row.events),
    productId: row.product_id === null ? null : toProductId(row.product_id),
    secret: row.secret as SealedSecret,
    oldSecret:
      row.old_secret === null || row.old_secret_until === null
        ? null
        : { secret: row.old_secret as SealedSecret, until: row.old_secret_until },
    off: row.off_reason as WhyOff | null,
    health: { failingSince: row.failing_since, failedAt: row.failed_at, warnedAt: row.warned_at },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function toEndpointRow(endpoint: Omit<Endpoint, 'id'>): Omit<EndpointRow, 'id'> {
  const { oldSecret, health, events } = endpoint;
  return {
    owner_id: endpoint.ownerId,
    is_live: Number(endpoint.isLive),
    url: endpoint.url ?? '',
    description: endpoint.description,
    events: events === '*' ? '*' : events.join(' '),
    product_id: endpoint.productId,
    secret: endpoint.secret,
    old_secret: oldSecret?.secret ?? null,
    old_secret_until: oldSecret?.until ?? null,
    off_reason: endpoint.off,
    failing_since: health.failingSince,
    failed_at: health.failedAt,
    warned_at: health.warnedAt,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
  };
}

export function toDeliveryEntry(row: DeliveryWithName): DeliveryEntry {
  return {
    id: toDeliveryId(row.id),
    endpointId: toWebhookId(row.endpoint_id),
    eventId: row.name,
    type: row.type as WebhookEventType,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    createdAt: row.created_at,
    dueAt: row.due,
    fault: row.fault as Fault | null,
    isTest: row.is_test === 1,
  };
}

export function toAttempt(row: AttemptRow): Attempt {
  return {
    number: row.number,
    at: row.at,
    request: JSON.parse(row.request),
    answer: row.answer === null ? null : JSON.parse(row.answer),
    fault: row.fault as Fault | null,
    detail: row.detail,
    duration: row.duration,
  };
}
