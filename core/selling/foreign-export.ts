import { type ExportingSystem, exportForms } from '../licensing/alias.ts';
import type { ForeignExport } from '../ports/license-sheet.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { quotedStart } from './cell.ts';

/** The most characters of a text that names a product, here or in another system. */
export const longestProductName = 200;

/** The most products of another system for which products here can be named at once. */
export const mostMapped = 200;

/** The most characters of all of them. */
export const longestProductMap = 40_000;

/** What somebody says about a file of licenses. Empty texts are the same as none. */
interface AskedExport {
  readonly from?: ExportingSystem | '' | undefined;
  readonly product?: string | undefined;
  readonly theirProduct?: string | undefined;
  /** On each line a product there, `=` and a product here. */
  readonly map?: string | undefined;
  /** A check needs no product: it names those of the file. */
  readonly isCheck?: boolean;
}

/** Returns the export, `undefined` for a file of our own form, or why what was said about the file does not fit together. */
export function foreignExportOf({
  from,
  product,
  theirProduct,
  map,
  isCheck = false,
}: AskedExport):
  | ForeignExport
  | undefined
  | Refused<
      | 'export_needs_product'
      | 'product_needs_system'
      | 'their_product_needs_system'
      | 'map_needs_system'
      | 'product_and_map'
      | 'their_product_needs_product'
      | 'invalid_map'
    > {
  if (!from) {
    if (product) return refuse('product_needs_system');
    if (theirProduct) return refuse('their_product_needs_system');
    return map ? refuse('map_needs_system') : undefined;
  }
  if (map) {
    if (product || theirProduct) return refuse('product_and_map');
    const products = productMapIn(map);
    return isRefused(products) ? products : { from, products };
  }
  if (product) return { from, products: theirProduct ? new Map([[theirProduct, product]]) : product };
  if (theirProduct) return refuse('their_product_needs_product');
  return isCheck ? { from, products: new Map() } : refuse('export_needs_product');
}

/**
 * Returns a product there as a report names it: whole if it can be named in a request. A cell can be so large that a report
 * must not keep it.
 */
export function shownProductName(name: string): string {
  const start = [...name.slice(0, 2 * (longestProductName + 1))];
  return start.length > longestProductName ? `${start.slice(0, longestProductName).join('')}…` : name;
}

/** A name there may contain `=`, but no id or slug here does. */
function productMapIn(text: string): ReadonlyMap<string, string> | Refused<'invalid_map'> {
  const found = new Map<string, string>();
  for (const line of text.split(/[\r\n]+/)) {
    if (line.trim() === '') continue;
    const at = line.lastIndexOf('=');
    const [theirs, ours] = [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
    if (theirs === '' || ours === '') {
      return refuse(
        'invalid_map',
        `${quotedStart(line)} is not as 123=simple-dex: the product there, =, and the product here.`,
      );
    }
    if (found.has(theirs)) return refuse('invalid_map', `${quotedStart(theirs)} is there twice.`);
    if (found.size === mostMapped) return refuse('invalid_map', `It can name at most ${mostMapped} products.`);
    found.set(theirs, ours);
  }
  return found.size > 0 ? found : refuse('invalid_map', 'It names no product.');
}

/** What the numbers of lines count. */
export type LineName = 'license' | 'line';

/** Returns what the number of a line counts. A page of answers may be one line, so licenses in JSON are counted. */
export function lineNameOf(from: string | undefined): LineName {
  const form = new Map<string, 'csv' | 'json'>(Object.entries(exportForms)).get(from ?? '');
  return form === 'json' ? 'license' : 'line';
}

/** Names a line at the start of a sentence, such as `Line 3`. */
export function lineTitle(name: LineName, line: number): string {
  return `${name === 'line' ? 'Line' : 'License'} ${line}`;
}
