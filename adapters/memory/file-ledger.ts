import type { UserId } from '../../core/id.ts';
import type { FileLedger } from '../../core/ports/file-ledger.ts';
import type { MemoryDatabase } from './database.ts';
import { referredKeys } from './referred-keys.ts';

/** Every step is synchronous, so nothing comes between the check and the change. */
export function createMemoryFileLedger({ keptFiles, products, uploads }: MemoryDatabase): FileLedger {
  const used = (userId: UserId) =>
    [...keptFiles.values()].reduce((sum, file) => (file.userId === userId ? sum + file.size : sum), 0);
  return {
    async add(userId, files, allowed, at) {
      const before = used(userId);
      const after = files.reduce((sum, { size }) => sum + size, before);
      if (after > allowed) return { isAdded: false, used: before };
      for (const { key, size } of files) keptFiles.set(key, { userId, size, at });
      return { isAdded: true, used: after };
    },
    async remove(keys) {
      for (const key of keys) keptFiles.delete(key);
    },
    used: async (userId) => used(userId),
    async unreferenced(before) {
      const named = referredKeys({ products, uploads });
      return [...keptFiles].filter(([key, { at }]) => at < before && !named.has(key)).map(([key]) => key);
    },
  };
}
