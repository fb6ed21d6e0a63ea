import type { FileReferences } from '../../core/ports/file-references.ts';
import type { MemoryDatabase } from './database.ts';
import { referredKeys } from './referred-keys.ts';

export function createMemoryFileReferences({
  products,
  templates,
  uploads,
  unreferenced,
}: MemoryDatabase): FileReferences {
  return {
    async unreferenced(keys, { now, before }) {
      const used = referredKeys({ products, templates, uploads });
      const left = [...new Set(keys)].filter((key) => !used.has(key));
      for (const key of keys) if (used.has(key)) unreferenced.delete(key);
      for (const key of left) if (!unreferenced.has(key)) unreferenced.set(key, now);
      return left.filter((key) => (unreferenced.get(key) ?? now) < before);
    },
    async forget(keys) {
      for (const key of keys) unreferenced.delete(key);
    },
  };
}
