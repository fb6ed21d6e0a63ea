import type { User } from '../accounts/user.ts';
import type { Template } from '../templates/template.ts';

/** Knows who bought which template. */
export interface PurchaseCheck {
  /** Throws `Unavailable` if it cannot find out at the moment. Never guesses. */
  has(user: Pick<User, 'id' | 'email'>, template: Pick<Template, 'id' | 'slug'>): Promise<boolean>;
}
