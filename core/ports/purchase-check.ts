import type { User } from '../accounts/user.ts';
import type { Template } from '../templates/template.ts';

/** Knows who bought which template. */
export interface PurchaseCheck {
  /** Throws `Unavailable` where that cannot be told at the moment; never guesses. */
  has(user: Pick<User, 'id' | 'email'>, template: Pick<Template, 'id' | 'slug'>): Promise<boolean>;
}
