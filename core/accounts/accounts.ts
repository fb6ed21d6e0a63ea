import { type By, event } from '../events/event.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Tier } from './tier.ts';
import type { User } from './user.ts';

/** What an administrator does with account holders. */
export interface Accounts {
  add(user: { name: string; email: string; tier: Tier }, by: By): Promise<User | Refused<'email_taken'>>;
  /** By id, written in digits, or by e-mail address. */
  find(idOrEmail: string): Promise<User | Refused<'user_not_found'>>;
}

export function createAccounts(store: AccountStore, clock: Clock): Accounts {
  return {
    async add({ name, email, tier }, by) {
      const now = clock.now();
      const address = email.toLowerCase();
      return await store.add(
        { name, email: address, tier, createdAt: now },
        event('user.added', address, by, now, { tier }),
      );
    },

    async find(idOrEmail) {
      const user = /^\d{1,15}$/.test(idOrEmail)
        ? await store.findById(Number(idOrEmail))
        : await store.findByEmail(idOrEmail.toLowerCase());
      return user ?? refuse('user_not_found', `No user has the id or e-mail address ${idOrEmail}.`);
    },
  };
}
