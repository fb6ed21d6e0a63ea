import { type Actor, byOf, needing } from '../accounts/role.ts';
import { type By, event } from '../events/event.ts';
import { type ProductId, parseId, toProductId } from '../id.ts';
import { importedHosts, wrongHosts } from '../licensing/imported-hosts.ts';
import { statusOf } from '../licensing/license.ts';
import { mintLicenseKey } from '../licensing/license-key.ts';
import type { Product } from '../marketplace/product.ts';
import { OutcomeUnknown } from '../outcome-unknown.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { Finished, ImportLine, LicenseImport, LicenseImports } from '../ports/license-imports.ts';
import type { ForeignExport, LicenseSheet, LineFault, SheetLine } from '../ports/license-sheet.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { actsInSandbox } from '../sandbox/sandbox.ts';
import { describeCell } from './cell.ts';
import { type LineName, lineNameOf, lineTitle } from './foreign-export.ts';
import { type ProductOf, remembering, withLicenses } from './import-products.ts';
import { createCheckPlaces, createImportTurns } from './import-turns.ts';
import { createToldOfOthers, KeysOfOthers, tooManyOfOthers } from './keys-of-others.ts';
import { reachableBy, reaches, type Seller } from './seller.ts';
import { type Checked, type Faulty, FirstLines, type PlannedLicense, UnmappedProducts } from './sheet-report.ts';

/** Tells a caller how far an import is. */
interface ImportSteps {
  /** Called now and then while the file is read. */
  read?(lines: number): void;
  /** Called after the whole file is checked. If it throws, nothing is imported. */
  checked?(): void;
}

/** How a file is imported. */
export interface ImportOptions extends ImportSteps {
  /** If it is an export of another system. */
  readonly foreign?: ForeignExport | undefined;
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
    options?: ImportOptions,
  ): Promise<Finished | Faulty | Refused<'forbidden' | 'import_running'>>;
  /** Licenses of the products that the seller reaches. All others are unknown. */
  importOwn(
    bytes: Bytes,
    seller: Seller,
    options?: ImportOptions,
  ): Promise<Finished | Faulty | Refused<'import_running'>>;
  /** Says what `importAny` would do, and changes nothing. Needs `licenses:manage`. */
  checkAny(
    bytes: Bytes,
    actor: Actor,
    options?: ImportOptions,
  ): Promise<Checked | Refused<'forbidden' | 'checks_running'>>;
  /** Says what `importOwn` would do, and changes nothing. The audit trail tells of it. */
  checkOwn(bytes: Bytes, seller: Seller, options?: ImportOptions): Promise<Checked | Refused<'checks_running'>>;
}

/** Of which products somebody may import licenses. */
interface Reach {
  readonly productOf: ProductOf;
  /** Whether this person reaches the licenses of a product. Absent: those of all. */
  readonly hasOwn?: (id: ProductId) => Promise<boolean>;
}

const unknown = 'No product has this id or slug.';

interface SheetImportsPorts {
  readonly imports: LicenseImports;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly sheet: LicenseSheet;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

export function createSheetImports({
  imports,
  products,
  sheet,
  limiter,
  clock,
  secrets,
}: SheetImportsPorts): SheetImports {
  const find = async (name: string) => {
    const id = parseId(name, toProductId);
    return id === undefined ? await products.findBySlug(name) : await products.findById(id);
  };

  const inPlace = createCheckPlaces(clock);
  const inTurn = createImportTurns(clock);
  const told = createToldOfOthers(limiter, clock);

  /** Reads a file, and returns what was found in it. `compare` returns the lines whose keys or aliases are in use. */
  async function readAll(
    bytes: Bytes,
    by: By,
    { productOf, hasOwn }: Reach,
    { foreign, ...steps }: ImportOptions,
    now: Instant,
    compare: LicenseImport['stage'],
  ) {
    const faults = new FirstLines<LineFault>();
    const passedOver = new FirstLines<LineFault>();
    const licenses = new FirstLines<PlannedLicense>();
    const unmapped = new UnmappedProducts();
    const judge = createJudge(remembering(withLicenses(productOf)), now, secrets);
    const others = new KeysOfOthers(hasOwn);
    for await (const part of sheet.read(bytes, now, foreign)) {
      const staged = await stage(part.lines, compare, judge, now, lineNameOf(foreign?.from), others);
      const isRead = ({ line }: { readonly line: number }) => line <= others.end;
      faults.add([...part.faults, ...staged.faults].filter(isRead));
      licenses.add(staged.planned.filter(isRead));
      const passed = part.passedOver.filter(isRead);
      passedOver.add(passed);
      unmapped.add(passed);
      steps.read?.(part.read);
      if (Number.isFinite(others.end)) break;
    }
    await told.note(by.actor, others.count);
    const counts = { licenses: licenses.count, faults: faults.count, of_others: others.count };
    const eventOf = (isImport: boolean) =>
      hasOwn &&
      event('user.licenses_checked', by.actor, { ...by, request: undefined }, now, { ...counts, is_import: isImport });
    return { faults, passedOver, licenses, unmapped, eventOf };
  }

  const run = async (bytes: Bytes, by: By, reach: Reach, options: ImportOptions) =>
    (await told.enough(by.actor, 'import_running')) ??
    (await inTurn(by.actor, () => runAtOnce(bytes, by, reach, options)));

  async function runAtOnce(bytes: Bytes, by: By, reach: Reach, options: ImportOptions) {
    const now = clock.now();
    const begun = await imports.begin('imported', by, now);
    if (isRefused(begun)) return begun;
    let passedOver = 0;
    try {
      const found = await readAll(bytes, by, reach, options, now, begun.stage);
      if (found.faults.count > 0) {
        await begun.undo(found.eventOf(true));
        return { kind: 'faulty' as const, ...found.faults.all() };
      }
      passedOver = found.passedOver.count;
      options.checked?.();
    } catch (error) {
      await begun.undo().catch(() => undefined); // If this fails, the rest is undone later.
      throw error;
    }
    try {
      return await begun.finish(passedOver);
    } catch (error) {
      throw new OutcomeUnknown('The import was interrupted. If it had been begun, it is finished later.', {
        cause: error,
      });
    }
  }

  const check = async (bytes: Bytes, by: By, reach: Reach, options: ImportOptions) =>
    (await told.enough(by.actor, 'checks_running')) ??
    (await inPlace(by.actor, () => checkAtOnce(bytes, by, reach, options)));

  async function checkAtOnce(bytes: Bytes, by: By, reach: Reach, options: ImportOptions) {
    const { compare, end } = imports.check();
    const { licenses, faults, passedOver, unmapped, eventOf } = await readAll(
      bytes,
      by,
      reach,
      options,
      clock.now(),
      compare,
    );
    await end(eventOf(false));
    const found = { licenses: licenses.all(), faults: faults.all(), passedOver: passedOver.all() };
    return { kind: 'checked' as const, ...found, unmapped: unmapped.all() };
  }

  const anyProducts: Reach = { productOf: async (name) => (await find(name)) ?? unknown };

  /** The products that the seller may import licenses of. */
  function ownProducts(seller: Seller): Reach {
    if (reachableBy(seller, 'licenses:manage') === undefined) throw new Error('Everybody may manage own licenses.');
    const isOwn = (product: Product | undefined): product is Product =>
      product !== undefined && reaches(seller, 'licenses:manage', product);
    return {
      async productOf(name) {
        const product = await find(name);
        if (!isOwn(product)) return unknown;
        return product.archivedAt === null ? product : 'The product is archived.';
      },
      hasOwn: async (id) => isOwn(await products.findById(id)),
    };
  }

  /** An import is bounded by its file only, so a sandbox has none. */
  function importedProducts(seller: Seller): Reach {
    const isSandbox = actsInSandbox(seller.actor);
    return isSandbox
      ? { productOf: async () => 'A sandbox imports no licenses. You can check the file.' }
      : ownProducts(seller);
  }

  return {
    importAny: async (bytes, actor, options = {}) =>
      needing(actor, 'licenses:manage') ?? (await run(bytes, byOf(actor), anyProducts, options)),

    importOwn: async (bytes, seller, options = {}) =>
      await run(bytes, byOf(seller.actor), importedProducts(seller), options),

    checkAny: async (bytes, actor, options = {}) =>
      needing(actor, 'licenses:manage') ?? (await check(bytes, byOf(actor), anyProducts, options)),

    checkOwn: async (bytes, seller, options = {}) =>
      await check(bytes, byOf(seller.actor), ownProducts(seller), options),
  };
}

/** Judges lines, and compares or stages them. Returns their faults, and the licenses of the others. */
async function stage(
  lines: readonly SheetLine[],
  compare: LicenseImport['stage'],
  judge: ReturnType<typeof createJudge>,
  now: Instant,
  lineName: LineName,
  others: KeysOfOthers,
): Promise<{ faults: LineFault[]; planned: PlannedLicense[] }> {
  const faults: LineFault[] = [];
  const staged: ImportLine[] = [];
  const names = new Map<number, string>();
  const aliases = new Map(lines.map(({ line, alias }) => [line, alias?.text]));
  for (const line of lines) {
    const judged = await judge(line);
    if (judged.fault !== undefined) faults.push({ line: line.line, message: judged.fault });
    if (judged.staged !== undefined) staged.push(judged.staged);
    if (line.product !== undefined) names.set(line.line, line.product);
  }
  const clashing = new Set<number>();
  for (const { line, key, of, first, productId } of await compare(staged)) {
    clashing.add(line);
    const text = of === 'key' ? key : (aliases.get(line) ?? '');
    const whose = first === undefined ? 'A license' : lineTitle(lineName, first);
    faults.push({ line, message: `${describeCell(of, text)}: ${whose} already has this ${of}.` });
    if (productId !== undefined && (await others.found(line, productId))) {
      faults.push({ line, message: tooManyOfOthers });
      break;
    }
  }
  const planned = staged.flatMap(({ line, terms }): PlannedLicense[] => {
    if (terms === undefined || clashing.has(line)) return [];
    const { maxDomains, expiresAt, hosts = [] } = terms;
    const own = { product: names.get(line) ?? '', status: statusOf(terms, now), domains: hosts.length };
    return [{ line, maxDomains, expiresAt, ...own }];
  });
  return { faults, planned };
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
    const hasNewKey = key === undefined;
    return { staged: { line, key: key ?? mintLicenseKey(secrets), hasNewKey, terms } };
  };
}
