import { type ExportingSystem, exportForms } from '../licensing/alias.ts';
import type { ForeignExport } from '../ports/license-sheet.ts';
import { type Refused, refuse } from '../refusal.ts';

/** The most characters of a text that names a product, here or in another system. */
export const longestProductName = 200;

/** What somebody says about a file of licenses. Empty texts are the same as none. */
interface AskedExport {
  readonly from?: ExportingSystem | '' | undefined;
  readonly product?: string | undefined;
  readonly theirProduct?: string | undefined;
}

/** Returns the export, `undefined` for a file of our own form, or why what was said about the file does not fit together. */
export function foreignExportOf({
  from,
  product,
  theirProduct,
}: AskedExport):
  | ForeignExport
  | undefined
  | Refused<'export_needs_product' | 'product_needs_system' | 'their_product_needs_system'> {
  if (from) {
    return product ? { from, product, theirProduct: theirProduct || undefined } : refuse('export_needs_product');
  }
  if (product) return refuse('product_needs_system');
  return theirProduct ? refuse('their_product_needs_system') : undefined;
}

/** Returns what the number of a line counts. A page of answers may be one line, so licenses in JSON are counted. */
export function lineNameOf(from: string | undefined): 'license' | 'line' {
  const form = new Map<string, 'csv' | 'json'>(Object.entries(exportForms)).get(from ?? '');
  return form === 'json' ? 'license' : 'line';
}
