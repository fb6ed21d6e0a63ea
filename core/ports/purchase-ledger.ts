import type { User } from '../accounts/user.ts';
import type { Event } from '../events/event.ts';
import type { TemplateId, UserId } from '../id.ts';
import type { Template } from '../templates/template.ts';
import type { Instant } from './clock.ts';

/** Stores purchases in this service. It is also a `PurchaseCheck`. */
export interface PurchaseLedger {
  /** Returns false, and changes nothing, if the user already bought the template. */
  add(purchase: { userId: UserId; templateId: TemplateId; at: Instant }, event: Event): Promise<boolean>;
  has(user: Pick<User, 'id'>, template: Pick<Template, 'id'>): Promise<boolean>;
}
