import { type Actor, byOf, needing } from '../accounts/role.ts';
import type { By } from '../events/event.ts';
import { parseId, toProductId } from '../id.ts';
import { importedHosts, wrongHosts } from '../licensing/imported-hosts.ts';
import { mintLicenseKey } from '../licensing/license-key.ts';
import { refusingLicenses } from '../marketplace/bundle.ts';
import type { Product } from '../marketplace/product.ts';
import { OutcomeUnknown } from '../outcome-unknown.ts';
import type { Clock } from '../ports/clock.ts';
import type { Finished, ImportLine, LicenseImport, LicenseImports } from '../ports/license-imports.ts';
import type { LicenseSheet, LineFault, SheetLine } from '../ports/license-sheet.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { describeCell } from './cell.ts';
import { reachableBy, reaches, type Seller } from './seller.ts';

/** The most faults of a file that are kept. A file may have one for each of its cells. */
export const mostFaults = 100;

/** The first faults of a file that was not imported, and the number of the others. */
export interface Faulty {
  readonly kind: 'faulty';
  readonly first: readonly LineFault[];
  readonly others: number;
}

/** Tells a caller how far an import is. */
export interface ImportSteps {
  /** Called now and then while the file is read. */
  read?(lines: number): void;
  /** Called after the whole file is checked. If it throws, nothing is imported. */
  checked?(): void;
}

type Bytes = AsyncIterable<Uint8Array | string>;

/**
 * Imports files of licenses, each whole or not at all, in short steps, so that nobody else waits long. A line without a
 * key gets a new one. Refuses while another import runs. If reading the file fails, nothing is imported.
 */
export interface SheetImports {
  /** Licenses of any products. Needs `licenses:manage`. */
  importAny(
    bytes: Bytes,
    actor: Actor,
    steps?: ImportSteps,
  ): Promise<Finished | Faulty | Refused<'forbidden' | 'import_running'>>;
  /** Licenses of the products that the seller reaches. All others are unknown. */
  importOwn(bytes: Bytes, seller: Seller, steps?: ImportSteps): Promise<Finished | Faulty | Refused<'import_running'>>;
}

/** Why licenses cannot be imported for a product, or the product. */
type ProductOf = (name: string) => Promise<Product | string>;

/** The products that are remembered while a file is read. */
const mostProducts = 1_000;
const unknown = 'No product has this id or slug.';

interface SheetImportsPorts {
  readonly imports: LicenseImports;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly sheet: LicenseSheet;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

export function createSheetImports({ imports, products, sheet, clock, secrets }: SheetImportsPorts): SheetImports {
  const find = async (name: string) => {
    const id = parseId(name, toProductId);
    return id === undefined ? await products.findBySlug(name) : await products.findById(id);
  };

  async function run(bytes: Bytes, by: By, productOf: ProductOf, steps: ImportSteps) {
    const now = clock.now();
    const begun = await imports.begin('imported', by, now);
    if (isRefused(begun)) return begun;
    try {
      const faults = new Faults();
      const judge = createJudge(remembering(withLicenses(productOf)), now, secrets);
      for await (const { lines, faults: found, read } of sheet.read(bytes, now)) {
        faults.add([...found, ...(await stage(lines, begun, judge))]);
        steps.read?.(read);
      }
      if (faults.count > 0) {
        await begun.undo();
        return faults.all();
      }
      steps.checked?.();
    } catch (error) {
      await begun.undo().catch(() => undefined); // If this fails, the rest is undone later.
      throw error;
    }
    try {
      return await begun.finish();
    } catch (error) {
      throw new OutcomeUnknown('The import was interrupted. If it had been begun, it is finished later.', {
        cause: error,
      });
    }
  }

  return {
    importAny: async (bytes, actor, steps = {}) =>
      needing(actor, 'licenses:manage') ??
      (await run(bytes, byOf(actor), async (name) => (await find(name)) ?? unknown, steps)),

    async importOwn(bytes, seller, steps = {}) {
      if (reachableBy(seller, 'licenses:manage') === undefined) throw new Error('Everybody may manage own licenses.');
      const productOf: ProductOf = async (name) => {
        const product = await find(name);
        if (product === undefined || !reaches(seller, 'licenses:manage', product)) return unknown;
        return product.archivedAt === null ? product : 'The product is archived.';
      };
      return await run(bytes, byOf(seller.actor), productOf, steps);
    },
  };
}

/** Stages lines and returns their faults. */
async function stage(
  lines: readonly SheetLine[],
  begun: Pick<LicenseImport, 'stage'>,
  judge: ReturnType<typeof createJudge>,
): Promise<LineFault[]> {
  const faults: LineFault[] = [];
  const staged: ImportLine[] = [];
  for (const line of lines) {
    const judged = await judge(line);
    if (judged.fault !== undefined) faults.push({ line: line.line, message: judged.fault });
    if (judged.staged !== undefined) staged.push(judged.staged);
  }
  for (const { line, key, of, first } of await begun.stage(staged)) {
    const text = of === 'key' ? key : (lines.find((one) => one.line === line)?.alias?.text ?? '');
    const whose = first === undefined ? 'A license' : `Line ${first}`;
    faults.push({ line, message: `${describeCell(of, text)}: ${whose} already has this ${of}.` });
  }
  return faults;
}

/** Returns a function that turns a line into what is staged. A line with a fault is staged for its key alone. */
function createJudge(productOf: ProductOf, now: number, secrets: Secrets) {
  return async ({
    line,
    key,
    alias,
    product: name,
    license,
  }: SheetLine): Promise<{ fault?: string; staged?: ImportLine }> => {
    const without = key && { staged: { line, key } };
    const product = name === undefined ? undefined : await productOf(name);
    if (typeof product === 'string') {
      return { ...without, fault: `${describeCell('product', name ?? '')}: ${product}` };
    }
    if (license === undefined || product === undefined) return { ...without };
    const hosts = importedHosts(license, product.terms.hosts, now);
    const fault = wrongHosts(license, hosts);
    if (fault !== undefined) return { ...without, fault };
    const { domains: _, ...own } = license;
    const terms = { ...own, productId: product.id, hosts, alias };
    return { staged: { line, key: key ?? mintLicenseKey(secrets), terms } };
  };
}

/** Finds only products that have licenses. */
function withLicenses(productOf: ProductOf): ProductOf {
  return async (name) => {
    const found = await productOf(name);
    return typeof found === 'string' ? found : (refusingLicenses(found)?.detail ?? found);
  };
}

/** Asks for each product once, as long as a file does not have too many. */
function remembering(productOf: ProductOf): ProductOf {
  const known = new Map<string, Product | string>();
  return async (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const found = await productOf(name);
    if (known.size >= mostProducts) known.clear();
    known.set(name, found);
    return found;
  };
}

class Faults {
  readonly #first: LineFault[] = [];
  count = 0;

  add(found: readonly LineFault[]): void {
    this.count += found.length;
    const room = mostFaults - this.#first.length;
    if (room > 0) this.#first.push(...found.toSorted((one, other) => one.line - other.line).slice(0, room));
  }

  all(): Faulty {
    return { kind: 'faulty', first: this.#first, others: this.count - this.#first.length };
  }
}
