import type { User } from '../accounts/user.ts';
import type { Event } from '../events/event.ts';
import type { TemplateId, UserId } from '../id.ts';
import type { Template } from '../templates/template.ts';
import type { Instant } from './clock.ts';

/** The purchases that this service itself keeps. It is a `PurchaseCheck` too. */
export interface PurchaseLedger {
  /** Whether it is new: buying again changes nothing. */
  add(purchase: { userId: UserId; templateId: TemplateId; at: Instant }, event: Event): Promise<boolean>;
  has(user: Pick<User, 'id'>, template: Pick<Template, 'id'>): Promise<boolean>;
}
