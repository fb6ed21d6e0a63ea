import type { User } from '../accounts/user.ts';
import type { Event } from '../events/event.ts';
import type { Refused } from '../refusal.ts';

/** Account holders. */
export interface AccountStore {
  add(user: Omit<User, 'id'>, event: Event): Promise<User | Refused<'email_taken'>>;
  findById(id: number): Promise<User | undefined>;
  /** By the address in lower case. */
  findByEmail(email: string): Promise<User | undefined>;
}
