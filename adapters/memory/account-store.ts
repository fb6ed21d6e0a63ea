import { toApiKeyId, toUserId } from '../../core/id.ts';
import type { AccountStore } from '../../core/ports/account-store.ts';
import { refuse } from '../../core/refusal.ts';
import { changeIn } from './change.ts';
import { type MemoryDatabase, newestFirst, patch } from './database.ts';

export function createMemoryAccountStore({ users, keys, events }: MemoryDatabase): AccountStore {
  const findByEmail = (email: string) => [...users.values()].find((user) => user.email === email);
  return {
    async add(added, event) {
      if (findByEmail(added.email))
        return refuse('email_taken', `A user has the e-mail address ${added.email} already.`);
      const user = { ...added, id: toUserId(users.size + 1) };
      users.set(user.id, user);
      events.push(event);
      return user;
    },
    findById: async (id) => users.get(id),
    findByEmail: async (email) => findByEmail(email),
    change: changeIn(users, events),

    async addKey(added, event) {
      const key = { ...added, id: toApiKeyId(keys.size + 1) };
      keys.set(key.id, key);
      events.push(event);
      return key;
    },
    async findKey(digest) {
      const key = [...keys.values()].find((one) => one.digest === digest);
      const user = key && users.get(key.userId);
      return user && { key, user };
    },
    listKeys: async (userId) => newestFirst(keys).filter((key) => key.userId === userId),
    findKeys: async (idOrPrefix) =>
      /^\d{1,9}$/.test(idOrPrefix)
        ? [...keys.values()].filter(({ id }) => id === Number(idOrPrefix))
        : [...keys.values()].filter(({ prefix }) => prefix.startsWith(idOrPrefix)),
    changeKey: changeIn(keys, events),
    async touchKey(id, at) {
      if ((keys.get(id)?.lastUsedAt ?? 0) < at) patch(keys, id, { lastUsedAt: at });
    },
  };
}
