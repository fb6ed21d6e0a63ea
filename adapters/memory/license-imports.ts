import { eventOfNew } from '../../core/licensing/license-events.ts';
import type { LicenseImports } from '../../core/ports/license-imports.ts';
import { refuse } from '../../core/refusal.ts';
import { addLicense, type MemoryDatabase } from './database.ts';

/** Imports in a map. They end with the process, so that there is nothing to recover. */
export function createMemoryLicenseImports({ licenses, staged, events }: MemoryDatabase): LicenseImports {
  let isRunning = false;
  return {
    async begin(origin, by, at) {
      if (isRunning) return refuse('import_running', 'Another import is running.');
      isRunning = true;
      let hasEnded = false;
      const end = () => {
        if (hasEnded) return;
        hasEnded = true;
        staged.clear();
        isRunning = false;
      };
      return {
        async stage(lines) {
          return lines.flatMap((one) => {
            const { line, key } = one;
            const first = staged.get(key)?.line;
            if (first === undefined) staged.set(key, one);
            return [
              ...(first === undefined ? [] : [{ line, key, first }]),
              ...(licenses.has(key) ? [{ line, key }] : []),
            ];
          });
        },
        async finish() {
          const added = [...staged.values()].toSorted((one, other) => one.line - other.line);
          if (added.some(({ terms }) => terms === undefined))
            throw new Error('An import with faults cannot be finished.');
          for (const { key, terms } of added) {
            if (terms === undefined) continue;
            const license = { ...terms, key, createdAt: at };
            addLicense(licenses, license);
            events.push(eventOfNew[origin](license, by, at));
          }
          end();
          return { added: added.length, leftOut: [] };
        },
        async undo() {
          end();
        },
      };
    },
    recover: async () => ({ undone: 0, finished: 0, leftOut: [] }),
  };
}
