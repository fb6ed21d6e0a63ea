import { iso } from '../../core/iso.ts';
import { exportForms } from '../../core/licensing/alias.ts';
import { hostOfInstance } from '../../core/licensing/instance.ts';
import { termLimits } from '../../core/marketplace/product-terms.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { ForeignExport, LineFault, PassedOver, SheetLine, SheetPart } from '../../core/ports/license-sheet.ts';
import { describeCell, quotedStart } from '../../core/selling/cell.ts';
import { lineNameOf, shownProductName } from '../../core/selling/foreign-export.ts';
import { cellsIn, mostColumns, readCells } from './cells.ts';
import { type Column, columnNames } from './columns.ts';
import { type ExportTable, exportTables, type Row } from './exports.ts';
import { mostDomains } from './fields.ts';
import { readJsonRows } from './json-rows.ts';
import { lineReader } from './line.ts';
import { createPause } from './pause.ts';
import { readRecords } from './records.ts';

type Bytes = AsyncIterable<Uint8Array | string>;

interface Rows {
  readonly rows: readonly { readonly line: number; readonly row: Row }[];
  readonly faults: readonly LineFault[];
  readonly read: number;
}

/** Reads an export of another system. A line whose status is unknown has a fault. */
export async function* readExport(
  bytes: Bytes,
  now: Instant,
  { from, products }: ForeignExport,
): AsyncGenerator<SheetPart> {
  const table = exportTables[from];
  const readCellsOf = lineReader(now);
  let first: { readonly line: number; readonly name: string } | undefined;
  const pause = createPause();
  for await (const { rows, faults: found, read } of exportForms[from] === 'csv'
    ? csvRows(bytes, table, pause)
    : jsonRows(bytes)) {
    const lines: SheetLine[] = [];
    const faults = [...found];
    const passedOver: PassedOver[] = [];
    for (const { line, row } of rows) {
      await pause();
      const why = whyNot(table, row);
      if (why !== undefined) {
        passedOver.push({ line, message: why });
        continue;
      }
      const name = row(table.product);
      first ??= { line, name };
      if (typeof products === 'string' && name !== first.name) {
        const message = `It belongs to ${quotedStart(name)}, and ${lineNameOf(from)} ${first.line} to ${quotedStart(first.name)}. Say which product here each of their products is.`;
        return yield { lines, faults: [...faults, { line, message }], passedOver, read };
      }
      const variant = table.variant === undefined ? '' : row(table.variant);
      const theirProduct = variant === '' ? name : `${name}/${variant}`;
      const product = typeof products === 'string' ? products : (products.get(theirProduct) ?? products.get(name));
      if (product === undefined) {
        const message = `It belongs to ${quotedStart(theirProduct)}.`;
        passedOver.push({ line, message, theirProduct: shownProductName(theirProduct) });
        continue;
      }
      const { cells, problem } = ourCells(table, row);
      const given: Partial<Record<Column, string>> = { ...cells, alias_kind: from, product };
      const { line: taken, problems } = readCellsOf(line, (column) => given[column]);
      lines.push(problem === undefined ? taken : { ...taken, license: undefined });
      for (const message of problem === undefined ? problems : [problem]) faults.push({ line, message });
    }
    yield { lines, faults, passedOver, read };
  }
}

/** Returns why a line is passed over, or `undefined`. */
function whyNot(table: ExportTable, row: Row): string | undefined {
  return row(table.key) === '' ? 'It has no license key.' : table.passes?.(row);
}

/** Returns the cells of our own form, and what is wrong with the line before they are read. */
function ourCells(table: ExportTable, row: Row): { cells: Partial<Record<Column, string>>; problem?: string } {
  const cells: Partial<Record<Column, string>> = { alias: row(table.key) };
  for (const column of columnNames) {
    const named = table.same[column]?.map(row).find((text) => text !== '');
    if (named !== undefined) cells[column] = named;
  }
  const limit = table.limit === undefined ? '' : row(table.limit);
  cells.max_domains = limit === '' || limit === '0' ? String(termLimits.maxDomains) : limit;
  const end = endOf(row(table.end));
  const isForReleases = table.isForReleases?.(row) === true;
  cells[isForReleases ? 'updates_until' : 'expires_at'] = end;
  if (table.sites !== undefined) {
    const sites = row(table.sites.in).split(table.sites.between, mostDomains + 1);
    cells.domains = sites.map((site) => hostOfInstance(site) ?? site).join(' ');
  }
  const theirs = row(table.status);
  const status = new Map(Object.entries(table.statuses)).get(theirs.toLowerCase());
  if (status === undefined) {
    const known = Object.keys(table.statuses).join(', ');
    return { cells, problem: `${describeCell(table.status, theirs)}: It must be ${known}.` };
  }
  cells.status = table.isStopped?.(row) === true ? 'suspended' : status;
  return { cells };
}

const forEver = ['', '0', 'lifetime', '0000-00-00 00:00:00'];

/** Returns the end of a license in our form. Theirs is in seconds since 1970, or a date and time with a blank between, in UTC if it has no offset. */
function endOf(text: string): string {
  if (forEver.includes(text)) return 'never';
  if (/^\d{9,11}$/.test(text)) return iso(Number(text) * 1000);
  const [, day, time, zone = 'UTC'] = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?: (UTC|[+-]\d{4}))?$/.exec(text) ?? [];
  if (day === undefined) return text;
  return `${day}T${time}${zone === 'UTC' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3)}`}`;
}

interface Head {
  readonly count: number;
  /** The first place of each name. Columns that sellers add may have names of others. */
  readonly placeOf: ReadonlyMap<string, number>;
}

async function* csvRows(bytes: Bytes, table: ExportTable, pause: () => Promise<void>): AsyncGenerator<Rows> {
  let head: Head | undefined;
  for await (const { records, read, fault } of readRecords(bytes)) {
    const rows: Rows['rows'][number][] = [];
    const faults: LineFault[] = [];
    for (const { line, text } of records) {
      await pause();
      if (head === undefined) {
        const found = headOf(text);
        if (found.count > mostColumns) {
          return yield { rows: [], faults: [{ line, message: `It has more than ${mostColumns} columns.` }], read };
        }
        const missing = [table.key, table.product, table.status].filter(
          (name) => !found.placeOf.has(name.toLowerCase()),
        );
        if (missing.length > 0) {
          const message = `It lacks the columns ${missing.join(', ')}. Take the export as it is, in English, with commas between the cells.`;
          return yield { rows: [], faults: [{ line, message }], read };
        }
        head = found;
        continue;
      }
      const { count, placeOf } = head;
      const cells = cellsIn(text, count);
      if (typeof cells === 'string') faults.push({ line, message: cells });
      else if (cells !== undefined) {
        rows.push({ line, row: (name) => cells[placeOf.get(name.toLowerCase()) ?? -1]?.trim() ?? '' });
      }
    }
    if (fault) faults.push(fault);
    yield { rows, faults, read };
  }
}

function headOf(text: string): Head {
  const names = text.includes('\0') ? [] : (readCells(text) ?? []);
  const entries = names.map((name, place) => [name.toLowerCase(), place] as const);
  return { count: names.length, placeOf: new Map(entries.toReversed()) };
}

/** Rows are numbered, because many of them can be on one line of text. */
async function* jsonRows(bytes: Bytes): AsyncGenerator<Rows> {
  let read = 0;
  for await (const { rows, fault } of readJsonRows(bytes)) {
    const before = read;
    read += rows.length;
    yield {
      rows: rows.map((row, index) => ({ line: before + index + 1, row })),
      faults: fault === undefined ? [] : [{ line: read + 1, message: fault }],
      read,
    };
  }
}
