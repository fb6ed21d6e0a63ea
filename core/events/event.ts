import type { Instant } from '../ports/clock.ts';

/** A request with an idempotency key, which may be sent again. */
export interface KeyedRequest {
  readonly key: string;
  /** Identifies the request. Unique for ever. */
  readonly owner: string;
}

/** Who asked for a change, and why. The audit trail stores both. */
export interface By {
  readonly actor: string;
  readonly reason?: string | undefined;
  /**
   * The request that asked for the change. It is marked in the same transaction, so that the change is not made twice.
   */
  readonly request?: KeyedRequest | undefined;
}

/** All kinds of changes. */
export const eventTypes = [
  'license.issued',
  'license.imported',
  'license.left_out',
  'license.activated',
  'license.deactivated',
  'license.domain_moved',
  'license.suspended',
  'license.reinstated',
  'license.revoked',
  'license.renewed',
  'license.changed',
  'license.rotated',
  'license.alias_added',
  'license.alias_removed',
  'license.leak_suspected',
  'license.clock_set',
  'product.added',
  'product.published',
  'product.approved',
  'product.rejected',
  'product.unlisted',
  'product.relisted',
  'product.resubmitted',
  'product.archived',
  'product.changed',
  'product.version_added',
  'product.version_deleted',
  'product.template_set',
  'product.question_asked',
  'rating.written',
  'rating.changed',
  'rating.withdrawn',
  'rating.replied',
  'rating.reported',
  'rating.hidden',
  'rating.shown',
  'template.added',
  'template.updated',
  'purchase.added',
  'order.added',
  'order.paid',
  'order.refunded',
  'order.disputed',
  'order.changed',
  'order.refund_asked',
  'order.return_undone',
  'order.payment_claimed',
  'order.claim_taken',
  'order.claim_rejected',
  'order.accepted',
  'order.letter_sent',
  'order.claimed',
  'order.billing_changed',
  'subscription.started',
  'subscription.changed',
  'subscription.payment_failed',
  'subscription.cancelled',
  'subscription.resumed',
  'subscription.ended',
  'user.added',
  'user.tier_set',
  'user.suspended',
  'user.reinstated',
  'user.role_set',
  'user.selling_set',
  'user.seller_page_saved',
  'user.invoice_profile_saved',
  'user.wallet_proved',
  'user.wallet_removed',
  'user.licenses_checked',
  'user.invited',
  'user.signed_in',
  'user.sessions_ended',
  'user.password_set',
  'user.password_rehashed',
  'user.email_changed',
  'user.renamed',
  'user.second_factor_on',
  'user.second_factor_off',
  'user.recovery_codes_made',
  'key.created',
  'key.rotated',
  'key.revoked',
  'lease_key.rotated',
  'device.approved',
  'device.denied',
  'coupon.added',
  'coupon.ended',
  'webhook.added',
  'webhook.changed',
  'webhook.removed',
  'webhook.secret_rotated',
  'webhook.secret_shown',
  'webhook.tested',
  'webhook.redelivered',
  'webhook.replayed',
  'mail.tested',
  'mail.retried',
  'setting.changed',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Whether the subject of an event is an order, by its id. A subscription has the id of the order that began it. */
export function isOfOrder(type: EventType): boolean {
  return type.startsWith('order.') || type.startsWith('subscription.');
}

/** The record of a change. It is saved in the same transaction as the change itself. */
export interface Event {
  readonly type: EventType;
  readonly at: Instant;
  readonly actor: string;
  readonly reason: string | null;
  /** Names the changed object, for example by license key, slug or e-mail address. */
  readonly subject: string;
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
  /** Not part of the audit trail. */
  readonly request?: KeyedRequest;
}

export function event(type: EventType, subject: string, by: By, at: Instant, data: Event['data'] = {}): Event {
  const { actor, reason = null, request } = by;
  return { type, at, actor, reason, subject, data, ...(request && { request }) };
}
