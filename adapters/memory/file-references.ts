import type { FileReferences } from '../../core/ports/file-references.ts';
import type { MemoryDatabase } from './database.ts';

export function createMemoryFileReferences({ products, templates, uploads }: MemoryDatabase): FileReferences {
  return {
    async unreferenced(keys) {
      const used = new Set([
        ...[...products.values()].flatMap(({ zip, thumbnail }) => [zip, thumbnail]),
        ...[...templates.values()].map(({ zip }) => zip),
        ...uploads.map(({ key }) => key),
      ]);
      return keys.filter((key) => !used.has(key));
    },
  };
}
