import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import type { Imported } from '../../core/licensing/issuing.ts';
import { type LicenseKey, parseLicenseKey } from '../../core/licensing/license-key.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { expiry, licenseKey, line, maxDomains } from './fields.ts';

/** What an empty cell, or a column that is not there, stands for; `undefined` where it must be there. */
const columns = {
  key: undefined,
  product: undefined,
  max_domains: '1',
  expires_at: 'never',
  status: 'active',
} as const satisfies Record<string, string | undefined>;
type Column = keyof typeof columns;
const names = Object.keys(columns) as Column[];

/** A line of the file that names a license. */
export interface Entry {
  readonly line: number;
  readonly cells: Readonly<Record<Column, string>>;
}

/** Something that is wrong with a line, in a sentence. */
export interface Problem {
  readonly line: number;
  readonly what: string;
}

/** The lines of a CSV file whose first line names the columns, in any order. Lines without any text are left out. */
export function readEntries(text: string): { entries: readonly Entry[]; problems: readonly Problem[] } {
  const [head = '', ...rest] = text.split(/\r\n|\n|\r/);
  const header = readCells(head)?.map((name) => name.toLowerCase()) ?? [];
  const wrong = wrongHeader(header);
  if (wrong !== undefined) return { entries: [], problems: [{ line: 1, what: wrong }] };
  const entries: Entry[] = [];
  const problems: Problem[] = [];
  for (const [index, one] of rest.entries()) {
    const line = index + 2;
    const found = readCells(one);
    if (found === undefined) problems.push({ line, what: 'A quotation mark is out of place or not closed.' });
    else if (found.every((cell) => cell === '')) continue;
    else if (found.length !== header.length) {
      problems.push({ line, what: `It has ${found.length} cells where the header has ${header.length}.` });
    } else {
      const cellOf = (name: Column) => found[header.indexOf(name)] || (columns[name] ?? '');
      const cells = Object.fromEntries(names.map((name) => [name, cellOf(name)])) as Record<Column, string>;
      entries.push({ line, cells });
    }
  }
  return { entries, problems };
}

/** The cells of one line, or `undefined` where its quotation is broken. No cell may go over several lines. */
function readCells(line: string): readonly string[] | undefined {
  try {
    return parse(line, { trim: true, record_delimiter: '\n' }).at(0) ?? [];
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

/** The licenses that the entries mean, and what is wrong with them. `products` holds the id of each known product. */
export function judgeEntries(
  entries: readonly Entry[],
  products: ReadonlyMap<string, number | undefined>,
  now: Instant,
): { licenses: readonly Imported[]; problems: readonly Problem[] } {
  const schema = entrySchema(products, now);
  const seen = new Map<LicenseKey, number>();
  const licenses: Imported[] = [];
  const problems: Problem[] = [];
  for (const { line, cells } of entries) {
    const result = schema.safeParse(cells);
    if (result.success) licenses.push(result.data);
    for (const { path, message } of result.error?.issues ?? []) {
      problems.push({ line, what: `${told(cells, path[0] as Column)}: ${message}` });
    }
    const key = parseLicenseKey(cells.key);
    const first = key && seen.get(key);
    if (first !== undefined) problems.push({ line, what: `${told(cells, 'key')}: It is on line ${first} already.` });
    else if (key) seen.set(key, line);
  }
  return { licenses, problems };
}

/** A cell as it is told of: its column, and the start of what it says. */
export function told(cells: Entry['cells'], column: Column): string {
  const text = cells[column];
  return `${column} ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)}`;
}

function entrySchema(products: ReadonlyMap<string, number | undefined>, now: Instant) {
  return z
    .object({
      key: licenseKey,
      product: line(200).transform((name, context) => {
        const id = products.get(name);
        if (id !== undefined) return id;
        context.addIssue('No product has this id or slug.');
        return z.NEVER;
      }),
      max_domains: maxDomains,
      expires_at: expiry(now),
      status: z.enum(['active', 'suspended', 'revoked', 'expired'], {
        error: 'It must be active, suspended, revoked or expired.',
      }),
    })
    .refine(({ status, expires_at }) => status !== 'expired' || (expires_at !== null && expires_at <= now), {
      path: ['status'],
      error: 'It needs an expires_at that is past.',
    })
    .transform(
      ({ key, product, max_domains, expires_at, status }): Imported => ({
        key,
        productId: product,
        maxDomains: max_domains,
        expiresAt: expires_at,
        standing: status === 'expired' ? 'active' : status,
      }),
    );
}

function wrongHeader(found: readonly string[]): string | undefined {
  const known: readonly string[] = names;
  const missing = names.filter((name) => columns[name] === undefined && !found.includes(name));
  if (missing.length > 0)
    return `The header must name the columns ${names.join(', ')}: it lacks ${missing.join(', ')}.`;
  const unknown = found.find((name, index) => !known.includes(name) || found.indexOf(name) !== index);
  if (unknown === undefined) return undefined;
  return `The header must name the columns ${names.join(', ')}, each once: ${JSON.stringify(unknown)} is one too many.`;
}
