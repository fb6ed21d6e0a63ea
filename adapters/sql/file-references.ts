import type { FileReferences } from '../../core/ports/file-references.ts';
import type { Database } from './database.ts';

const places = [
  ['products', 'zip'],
  ['products', 'thumbnail'],
  ['templates', 'zip'],
  ['uploads', 'key'],
] as const;

export function createSqlFileReferences({ read }: Database): FileReferences {
  return {
    async unreferenced(keys) {
      const left = new Set(keys);
      for (const [table, column] of places) {
        const used: string[] = await read((knex) => knex(table).whereIn(column, keys).pluck(column));
        for (const key of used) left.delete(key);
      }
      return [...left];
    },
  };
}
