import type { Instant } from '../ports/clock.ts';

/** Who asked for a change, and why. The audit trail stores both. */
export interface By {
  readonly actor: string;
  readonly reason?: string | undefined;
}

export type EventType =
  | 'license.issued'
  | 'license.imported'
  | 'license.left_out'
  | 'license.activated'
  | 'license.deactivated'
  | 'license.suspended'
  | 'license.reinstated'
  | 'license.revoked'
  | 'license.renewed'
  | 'product.added'
  | 'product.published'
  | 'product.approved'
  | 'product.rejected'
  | 'product.unlisted'
  | 'product.resubmitted'
  | 'template.added'
  | 'template.updated'
  | 'purchase.added'
  | 'user.added'
  | 'user.tier_set'
  | 'user.suspended'
  | 'user.reinstated'
  | 'user.role_set'
  | 'user.invited'
  | 'user.signed_in'
  | 'user.sessions_ended'
  | 'user.password_set'
  | 'user.password_rehashed'
  | 'user.email_changed'
  | 'user.second_factor_on'
  | 'user.second_factor_off'
  | 'user.recovery_codes_made'
  | 'key.created'
  | 'key.rotated'
  | 'key.revoked'
  | 'mail.tested'
  | 'mail.retried';

/** The record of a change. It is saved in the same transaction as the change itself. */
export interface Event {
  readonly type: EventType;
  readonly at: Instant;
  readonly actor: string;
  readonly reason: string | null;
  /** Names the changed object, for example by license key, slug or e-mail address. */
  readonly subject: string;
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

export function event(type: EventType, subject: string, by: By, at: Instant, data: Event['data'] = {}): Event {
  return { type, at, actor: by.actor, reason: by.reason ?? null, subject, data };
}
