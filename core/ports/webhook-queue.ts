import type { DeliveryId } from '../id.ts';
import type { Attempted, Next } from '../webhooks/delivery.ts';
import type { AddressedEndpoint, Health } from '../webhooks/endpoint.ts';
import type { News } from './change.ts';
import type { Instant } from './clock.ts';
import type { HourOfAttempts } from './webhook-store.ts';

/** The right of one process to send to one endpoint. It ends with its lease. */
export interface Turn {
  readonly endpoint: AddressedEndpoint;
  /** Counts the turns of this endpoint. A process may only settle the turn that it has. */
  readonly number: number;
  /** When the lease ends. */
  readonly until: Instant;
}

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: DeliveryId;
  readonly eventId: string;
  /** Exactly what is to be sent. */
  readonly body: string;
  /** The number of the attempt to come, from 1. */
  readonly attempt: number;
  /** The number of attempts ever made, also before it was sent again. */
  readonly made: number;
}

/** How an attempt ended, and what follows. */
export interface SettledDelivery {
  readonly delivery: DueDelivery;
  readonly attempted: Attempted;
  readonly at: Instant;
  readonly next: Next;
}

/** The result of a turn. */
export interface TurnResult {
  readonly settled: readonly SettledDelivery[];
  readonly health: Health;
  /** Switches the endpoint off. */
  readonly isOff: boolean;
  readonly news: News;
}

/** Deliveries that are due, for all endpoints that are served, and all that are still to be added. */
export interface WebhookBacklog {
  readonly count: number;
  /** The time when the oldest one became due. */
  readonly oldest: Instant | null;
}

/**
 * Deliveries that wait to be sent. They are added in the transaction of the change that they report, or, if they are very
 * many, after its commit: see `spread`. Endpoints are
 * claimed, not deliveries: one process sends to an endpoint at a time, so that a slow one delays no other, and so that
 * it never gets more requests at once than it should. If a process ends, others go on when its lease ends. Endpoints
 * without an address are not in this queue.
 */
export interface WebhookQueue {
  /**
   * Adds some deliveries of a change with very many of them, in one short transaction. Returns whether there were any. After
   * an error, the next call goes on with others.
   */
  spread(): Promise<boolean>;
  /**
   * Claims up to `most` endpoints with due deliveries that nobody else has claimed. Skips those that are off, and those
   * of suspended accounts. Writes nothing if it finds no endpoint.
   */
  claim(wanted: { readonly now: Instant; readonly until: Instant; readonly most: number }): Promise<Turn[]>;
  /** The deliveries of a claimed endpoint that are due, in the order in which they became due. */
  due(turn: Turn, now: Instant, limit: number): Promise<DueDelivery[]>;
  /**
   * Stores the results of attempts and the health of the endpoint, in one transaction. With `until`, keeps the turn
   * until then; without it, gives it back. Returns whether the process still had the turn. If not, stores nothing.
   * Health and news are left out if people have changed the endpoint since it was claimed, and so are news that
   * were already stored with the same results.
   */
  settle(turn: Turn, result: TurnResult, until?: Instant): Promise<boolean>;
  backlog(now: Instant): Promise<WebhookBacklog>;
  /** The attempts of all endpoints in each hour since then in which there were any, oldest first. */
  attemptsByHour(since: Instant): Promise<HourOfAttempts[]>;
}
