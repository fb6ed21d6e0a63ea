import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import type { ProductId } from '../../core/id.ts';
import type { Imported } from '../../core/licensing/importing.ts';
import { licenseStatuses, standings } from '../../core/licensing/license.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { expiry, licenseKey, line, maxDomains } from './fields.ts';

/**
 * The columns of the file, each with the default for an empty cell or a missing column; `undefined` if it is required.
 */
const columns = {
  key: undefined,
  product: undefined,
  max_domains: '1',
  expires_at: 'never',
  status: 'active',
} as const satisfies Record<string, string | undefined>;
type Column = keyof typeof columns;
const columnNames = Object.keys(columns) as Column[];

/** A line of the file that names a license. */
export interface Entry {
  readonly line: number;
  readonly cells: Readonly<Record<Column, string>>;
}

/** An error in a line, as a sentence. */
export interface Problem {
  readonly line: number;
  readonly what: string;
}

/** Returns the names of the columns in the order of the file, or the problem with its first line. */
export function readHeader(head: string): readonly string[] | Problem {
  const header = readCells(head)?.map((name) => name.toLowerCase()) ?? [];
  const what = otherSeparator(head) ?? wrongHeader(header);
  return what === undefined ? header : { line: 1, what };
}

/** Reads a line below the header. Returns `undefined` if it has no text. */
export function readEntry(header: readonly string[], line: number, text: string): Entry | Problem | undefined {
  const found = readCells(text);
  if (found === undefined) return { line, what: 'A quotation mark is out of place or not closed.' };
  if (found.every((cell) => cell === '')) return undefined;
  if (found.length !== header.length) {
    return { line, what: `It has ${found.length} cells, but the header has ${header.length}.` };
  }
  const cellOf = (name: Column) => found[header.indexOf(name)] || (columns[name] ?? '');
  return { line, cells: Object.fromEntries(columnNames.map((name) => [name, cellOf(name)])) as Record<Column, string> };
}

/** Returns the cells of one line, or `undefined` if its quotation marks are wrong. A cell cannot span several lines. */
function readCells(line: string): readonly string[] | undefined {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  try {
    return parse(line, { trim: true, record_delimiter: '\n' }).at(0) ?? [];
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

type Judge = (entry: Entry) => { readonly terms?: Omit<Imported, 'key'>; readonly problems: readonly Problem[] };

/** Returns the license terms of a line, or its problems. `productOf` returns the id of an existing product. */
export function createJudge(productOf: (name: string) => ProductId | undefined, now: Instant): Judge {
  const schema = entrySchema(productOf, now);
  return ({ line, cells }) => {
    const { data, error } = schema.safeParse(cells);
    const problems = (error?.issues ?? []).map(({ path, message }) => ({
      line,
      what: `${describeCell(cells, path[0] as Column)}: ${message}`,
    }));
    return { problems, ...(data && { terms: data }) };
  };
}

/** Describes a cell in a message: its column, and the start of its text. */
export function describeCell(cells: Entry['cells'], column: Column): string {
  return `${column} ${quoted(cells[column])}`;
}

/** Returns the start of a text, on one line. Unprintable characters are escaped. */
function quoted(text: string): string {
  const start = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  return start.replace(/[\p{Control}\p{Format}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

function entrySchema(productOf: (name: string) => ProductId | undefined, now: Instant) {
  return z
    .object({
      key: licenseKey,
      product: line(200).transform((name, context) => {
        const id = productOf(name);
        if (id !== undefined) return id;
        context.addIssue('No product has this id or slug.');
        return z.NEVER;
      }),
      max_domains: maxDomains,
      expires_at: expiry(now),
      status: z.enum(licenseStatuses, { error: `It must be ${standings.join(', ')} or expired.` }),
    })
    .refine(({ status, expires_at }) => status !== 'expired' || (expires_at !== null && expires_at <= now), {
      path: ['status'],
      error: 'It needs an expires_at in the past.',
    })
    .transform(
      ({ product, max_domains, expires_at, status }): Omit<Imported, 'key'> => ({
        productId: product,
        maxDomains: max_domains,
        expiresAt: expires_at,
        standing: status === 'expired' ? 'active' : status,
      }),
    );
}

const otherSeparators = { ';': 'semicolons', '\t': 'tabs' } as const;

/**
 * Returns a message if the columns are not separated by commas. Spreadsheets use semicolons in countries whose numbers
 * have a decimal comma.
 */
function otherSeparator(head: string): string | undefined {
  const known: readonly string[] = columnNames;
  const isNamed = (separator: string) => {
    const found = head.split(separator).map((name) =>
      name
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .toLowerCase(),
    );
    return found.filter((name) => known.includes(name)).length > 1;
  };
  const used = Object.entries(otherSeparators).find(([separator]) => isNamed(separator));
  return used && `The cells are separated by ${used[1]}. Save the file with commas between the cells.`;
}

function wrongHeader(found: readonly string[]): string | undefined {
  const known: readonly string[] = columnNames;
  const missing = columnNames.filter((name) => columns[name] === undefined && !found.includes(name));
  if (missing.length > 0)
    return `The header must name the columns ${columnNames.join(', ')}: it lacks ${missing.join(', ')}.`;
  const unknown = found.find((name, index) => !known.includes(name) || found.indexOf(name) !== index);
  if (unknown === undefined) return undefined;
  return `The header must name the columns ${columnNames.join(', ')}, each once: ${quoted(unknown)} is unknown or a duplicate.`;
}
