import type { AccountStore } from '../../core/ports/account-store.ts';
import { refuse } from '../../core/refusal.ts';
import type { MemoryDatabase } from './database.ts';

export function createMemoryAccountStore({ users, events }: MemoryDatabase): AccountStore {
  const findByEmail = (email: string) => [...users.values()].find((user) => user.email === email);
  return {
    async add(added, event) {
      if (findByEmail(added.email))
        return refuse('email_taken', `A user has the e-mail address ${added.email} already.`);
      const user = { ...added, id: users.size + 1 };
      users.set(user.id, user);
      events.push(event);
      return user;
    },
    findById: async (id) => users.get(id),
    findByEmail: async (email) => findByEmail(email),
  };
}
