import { z } from 'zod';
import { iso } from '../../core/iso.ts';
import { licenseStatuses, standings } from '../../core/licensing/license.ts';
import { parseLicenseKey } from '../../core/licensing/license-key.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type {
  LicenseSheet,
  LineFault,
  SheetLicense,
  SheetLine,
  SheetPart,
  SheetRow,
} from '../../core/ports/license-sheet.ts';
import { describeCell } from '../../core/selling/cell.ts';
import { readCells, writeCells } from './cells.ts';
import { type Column, columnNames, whenEmpty, wrongHeader } from './columns.ts';
import {
  alias,
  aliasKind,
  days,
  domains,
  email,
  entitlements,
  expiry,
  key,
  maxDomains,
  metadata,
  name,
  product,
  reference,
} from './fields.ts';
import { type CsvRecord, readRecords } from './records.ts';

/**
 * CSV files with commas between the cells. The first line names the columns, in any order. Aliases are read, but not written,
 * because only digests of them are stored.
 */
export const licenseSheet: LicenseSheet = {
  async *read(bytes, now) {
    const schema = lineSchema(now);
    let header: readonly string[] | undefined;
    for await (const { records, read, fault } of readRecords(bytes)) {
      const lines: SheetLine[] = [];
      const faults: LineFault[] = [];
      for (const record of records) {
        if (header === undefined) {
          const names: readonly string[] = readCells(record.text)?.map((one) => one.toLowerCase()) ?? [];
          const message = wrongHeader(record.text, names);
          if (message !== undefined) return yield { lines: [], faults: [{ line: 1, message }], read };
          header = names;
        } else {
          const { line, problems } = readLine(schema, header, record);
          if (line) lines.push(line);
          for (const message of problems) faults.push({ line: record.line, message });
        }
      }
      if (fault) faults.push(fault);
      const part: SheetPart = { lines, faults, read };
      yield part;
    }
  },

  async *write(rows) {
    let head = writeCells(writtenColumns);
    for await (const some of rows) {
      yield some.reduce((text, row) => text + writeCells(cellsOf(row)), head);
      head = '';
    }
    if (head !== '') yield head;
  },
};

type Cells = Readonly<Record<Column, string>>;
type WrittenColumn = Exclude<Column, 'alias' | 'alias_kind'>;
const writtenColumns = columnNames.filter((name): name is WrittenColumn => name !== 'alias' && name !== 'alias_kind');

/** Reads a record below the header. Returns no line if there is no text in it. */
function readLine(
  schema: ReturnType<typeof lineSchema>,
  header: readonly string[],
  { line, text }: CsvRecord,
): { readonly line?: SheetLine; readonly problems: readonly string[] } {
  if (text.includes('\0')) return { problems: ['It contains a NUL character.'] };
  const found = readCells(text);
  if (found === undefined) return { problems: ['A quotation mark is out of place or not closed.'] };
  if (found.every((cell) => cell === '')) return { problems: [] };
  if (found.length !== header.length) {
    return { problems: [`It has ${found.length} cells, but the header has ${header.length}.`] };
  }
  const given = new Map(header.map((column, index) => [column, found[index]?.trim()]));
  const cellOf = (column: Column) => given.get(column) || (whenEmpty[column] ?? '');
  const cells = Object.fromEntries(columnNames.map((column) => [column, cellOf(column)])) as Cells;
  const { data, error } = schema.safeParse(cells);
  const named = product.safeParse(cells.product).data;
  const problems = (error?.issues ?? []).map(({ path, message }) => {
    const column = columnNames.find((one) => one === path[0]) ?? 'key';
    return `${describeCell(column, cells[column])}: ${message}`;
  });
  const own = parseLicenseKey(cells.key);
  return { line: { line, key: own, product: named, alias: data?.alias, license: data?.license }, problems };
}

function lineSchema(now: Instant) {
  return z
    .object({
      key,
      alias,
      alias_kind: aliasKind,
      product,
      max_domains: maxDomains,
      expires_at: expiry(now),
      days_from_activation: days,
      updates_until: expiry(now),
      entitlements,
      status: z.enum(licenseStatuses, { error: `It must be ${standings.join(', ')} or expired.` }),
      holder_email: email,
      holder_name: name,
      reference,
      metadata,
      domains: domains(now),
    })
    .refine(({ status, expires_at }) => status !== 'expired' || (expires_at !== null && expires_at <= now), {
      path: ['status'],
      error: 'It needs an expires_at in the past.',
    })
    .refine(({ days_from_activation: days, expires_at }) => days === null || expires_at === null, {
      path: ['days_from_activation'],
      error: 'It needs never as expires_at.',
    })
    .refine(({ key, alias }) => key.foreign === undefined || alias === undefined, {
      path: ['alias'],
      error: 'The key is one of another system, so it becomes the alias. Leave one of the two empty.',
    })
    .transform((cells) => {
      const { holder_email, holder_name, alias = cells.key.foreign, alias_kind: kind } = cells;
      const license: SheetLicense = {
        maxDomains: cells.max_domains,
        expiresAt: cells.expires_at,
        daysFromActivation: cells.days_from_activation,
        updatesUntil: cells.updates_until,
        entitlements: cells.entitlements,
        standing: cells.status === 'expired' ? 'active' : cells.status,
        notes: {
          holder: holder_email === null && holder_name === null ? null : { email: holder_email, name: holder_name },
          reference: cells.reference,
          metadata: cells.metadata,
        },
        domains: cells.domains,
      };
      return { license, alias: alias && { text: alias, kind } };
    });
}

function cellsOf(row: SheetRow): string[] {
  const { holder, reference, metadata } = row.notes;
  const cells: Readonly<Record<WrittenColumn, string>> = {
    key: row.key,
    product: row.product,
    max_domains: String(row.maxDomains),
    expires_at: row.expiresAt === null ? 'never' : iso(row.expiresAt),
    days_from_activation: row.daysFromActivation === null ? '' : String(row.daysFromActivation),
    updates_until: row.updatesUntil === null ? 'never' : iso(row.updatesUntil),
    entitlements: row.entitlements.join(' '),
    status: row.status,
    holder_email: holder?.email ?? '',
    holder_name: holder?.name ?? '',
    reference: reference ?? '',
    metadata: Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata),
    domains: row.domains.map(({ domain, activatedAt }) => `${domain}@${iso(activatedAt)}`).join(' '),
  };
  return writtenColumns.map((column) => cells[column]);
}
