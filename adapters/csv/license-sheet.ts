import { iso } from '../../core/iso.ts';
import type { LicenseSheet, LineFault, SheetLine, SheetPart, SheetRow } from '../../core/ports/license-sheet.ts';
import { cellsIn, readCells, writeCells } from './cells.ts';
import { type Column, columnNames, wrongHeader } from './columns.ts';
import { readExport } from './foreign-sheet.ts';
import { lineReader } from './line.ts';
import { createPause } from './pause.ts';
import { type CsvRecord, readRecords } from './records.ts';

/**
 * Files of our own form: CSV with commas between the cells. The first line names the columns, in any order. Aliases are read,
 * but not written, because only digests of them are stored. Exports of other systems, in CSV or JSON, are only read.
 */
export const licenseSheet: LicenseSheet = {
  async *read(bytes, now, foreign) {
    if (foreign !== undefined) return yield* readExport(bytes, now, foreign);
    const readCellsOf = lineReader(now);
    const pause = createPause();
    let header: readonly string[] | undefined;
    for await (const { records, read, fault } of readRecords(bytes)) {
      const lines: SheetLine[] = [];
      const faults: LineFault[] = [];
      for (const record of records) {
        await pause();
        if (header === undefined) {
          const names: readonly string[] = readCells(record.text)?.map((one) => one.toLowerCase()) ?? [];
          const message = wrongHeader(record.text, names);
          if (message !== undefined) return yield { lines: [], faults: [{ line: 1, message }], passedOver: [], read };
          header = names;
        } else {
          const { line, problems } = readLine(readCellsOf, header, record);
          if (line) lines.push(line);
          for (const message of problems) faults.push({ line: record.line, message });
        }
      }
      if (fault) faults.push(fault);
      const part: SheetPart = { lines, faults, passedOver: [], read };
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

type WrittenColumn = Exclude<Column, 'alias' | 'alias_kind'>;
const writtenColumns = columnNames.filter((name): name is WrittenColumn => name !== 'alias' && name !== 'alias_kind');

/** Reads a record below the header. Returns no line if there is no text in it. */
function readLine(
  readCellsOf: ReturnType<typeof lineReader>,
  header: readonly string[],
  { line, text }: CsvRecord,
): { readonly line?: SheetLine; readonly problems: readonly string[] } {
  const found = cellsIn(text, header.length);
  if (typeof found === 'string') return { problems: [found] };
  if (found === undefined) return { problems: [] };
  const given = new Map(header.map((column, index) => [column, found[index]?.trim()]));
  return readCellsOf(line, (column) => given.get(column));
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
