import type { By } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { Finished, ImportLine, LicenseImport, LicenseImports, Recovered } from '../ports/license-imports.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Standing } from './license.ts';
import { type LicenseKey, mintLicenseKey } from './license-key.ts';
import type { Terms } from './terms.ts';

/** A license that somebody else minted, and that is taken over. */
export interface Imported extends Terms {
  readonly key: LicenseKey;
  readonly standing: Standing;
}

/** Many licenses at once, all or none, without making others wait. One at a time: else `import_running`. */
export interface Importing {
  /** Takes over all or none. Throws if a key or product was changed by other ways meanwhile: then the others are taken over. */
  import(licenses: readonly Imported[], by: By): Promise<undefined | Refused<'key_taken' | 'import_running'>>;
  /** For more licenses than should be in memory at once. */
  beginImport(by: By): Promise<LicenseImport | Refused<'import_running'>>;
  /** Issues any number of licenses under new keys, and returns the keys. Fewer, if the product went away meanwhile. */
  issueMany(terms: Terms, count: number, by: By): Promise<LicenseKey[] | Refused<'import_running'>>;
  /** See `LicenseImports`. */
  recoverImports(goOn: () => boolean): Promise<Recovered>;
}

export function createImporting(imports: LicenseImports, clock: Clock, secrets: Secrets): Importing {
  const beginImport = (by: By) => imports.begin('imported', by, clock.now());
  return {
    beginImport,

    async import(licenses, by) {
      const begun = await beginImport(by);
      if (isRefused(begun)) return begun;
      const taken = await takeAll(
        begun,
        licenses.map(({ key, ...terms }, index) => ({ line: index + 1, key, terms })),
      );
      if (isRefused(taken)) return taken;
      if (taken.leftOut.length > 0) throw new Error('A key or product was changed while licenses were imported.');
      return undefined;
    },

    async issueMany({ productId, maxDomains, expiresAt }, count, by) {
      const begun = await imports.begin('issued', by, clock.now());
      if (isRefused(begun)) return begun;
      const terms = { productId, maxDomains, expiresAt, standing: 'active' } as const;
      const keys = Array.from({ length: count }, () => mintLicenseKey(secrets));
      const taken = await takeAll(
        begun,
        keys.map((key, index) => ({ line: index + 1, key, terms })),
      );
      if (isRefused(taken)) throw new Error('A key of 75 random bits was taken: the source of randomness is broken.');
      const leftOut = new Set(taken.leftOut.map(({ key }) => key));
      return keys.filter((key) => !leftOut.has(key));
    },

    recoverImports: (goOn) => imports.recover(goOn),
  };
}

async function takeAll(begun: LicenseImport, lines: readonly ImportLine[]): Promise<Finished | Refused<'key_taken'>> {
  try {
    const [clash] = await begun.stage(lines);
    if (clash === undefined) return await begun.finish();
    await begun.undo();
    return refuse('key_taken', `The key ${clash.key} is taken.`);
  } catch (error) {
    await begun.undo().catch(() => undefined); // What cannot be undone now is recovered later.
    throw error;
  }
}
