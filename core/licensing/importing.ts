import { type Actor, byOf } from '../accounts/role.ts';
import type { ProductId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  Finished,
  ImportLine,
  LicenseImport,
  LicenseImports,
  Origin,
  Recovered,
} from '../ports/license-imports.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Standing } from './license.ts';
import { type LicenseKey, mintLicenseKey } from './license-key.ts';
import type { Terms } from './terms.ts';

/** A license to import from another system. It keeps its key. */
export interface Imported extends Terms {
  readonly key: LicenseKey;
  readonly standing: Standing;
}

/**
 * Adds many licenses, all or none, in short steps, so that nobody else waits long. Refuses while another import runs.
 * Needs `licenses:manage`.
 */
export interface Importing {
  /**
   * Imports all licenses or none. There is one exception: if somebody changes a key or product with plain SQL in the
   * meantime, it imports the other licenses and throws.
   */
  import(
    licenses: readonly Imported[],
    actor: Actor,
  ): Promise<undefined | Refused<'forbidden' | 'bundle_without_licenses' | 'key_taken' | 'import_running'>>;
  /** Issues any number of licenses, and returns their new keys. Issues fewer if the product is deleted meanwhile. */
  issueMany(
    terms: Terms,
    count: number,
    actor: Actor,
  ): Promise<LicenseKey[] | Refused<'forbidden' | 'bundle_without_licenses' | 'import_running'>>;
  /** See `LicenseImports`. Only for jobs of the server: it asks for no right. */
  recoverImports(goOn: () => boolean): Promise<Recovered>;
}

/** Refuses actors without the right to issue licenses, and products that have none. */
export type RefusingToIssue = (
  products: readonly ProductId[],
  actor: Actor,
) => Promise<Refused<'forbidden' | 'bundle_without_licenses'> | undefined>;

interface ImportingPorts {
  readonly imports: LicenseImports;
  readonly refusing: RefusingToIssue;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

export function createImporting({ imports, refusing, clock, secrets }: ImportingPorts): Importing {
  const begin = async (origin: Origin, products: readonly ProductId[], actor: Actor) =>
    (await refusing(products, actor)) ?? (await imports.begin(origin, byOf(actor), clock.now()));
  return {
    async import(licenses, actor) {
      const begun = await begin(
        'imported',
        licenses.map(({ productId }) => productId),
        actor,
      );
      if (isRefused(begun)) return begun;
      const taken = await takeAll(
        begun,
        licenses.map(({ key, ...terms }, index) => ({ line: index + 1, key, terms })),
      );
      if (isRefused(taken)) return taken;
      if (taken.leftOut.length > 0) throw new Error('A key or product was changed during the import.');
      return undefined;
    },

    async issueMany({ daysFromActivation = null, ...given }, count, actor) {
      const begun = await begin('issued', [given.productId], actor);
      if (isRefused(begun)) return begun;
      const terms = { ...given, daysFromActivation, standing: 'active' } as const;
      const keys = Array.from({ length: count }, () => mintLicenseKey(secrets));
      const taken = await takeAll(
        begun,
        keys.map((key, index) => ({ line: index + 1, key, terms })),
      );
      if (isRefused(taken))
        throw new Error('A new key with 75 random bits is already in use: the random number generator is broken.');
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
    await begun.undo().catch(() => undefined); // `recoverImports` undoes the rest later.
    throw error;
  }
}
