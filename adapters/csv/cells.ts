import { CsvError, parse } from 'csv-parse/sync';

/**
 * The beginning of a text that a spreadsheet would run as a formula, also behind apostrophes. Includes the wide forms of the
 * signs, which some spreadsheets take for the usual ones.
 */
const formula = "(?='*[=+\\-@\\t\\r\\n\\uFF1D\\uFF0B\\uFF0D\\uFF20])";
/** Some spreadsheets also begin a cell at each semicolon or tab, whatever the quotation marks say. */
const cellStart = '(^|[;\\t])';
const bare = new RegExp(`${cellStart}${formula}`, 'g');
const withApostrophe = new RegExp(`${cellStart}'${formula}`, 'g');

/** Puts an apostrophe before each text that a spreadsheet would run as a formula. */
function guarded(text: string): string {
  return text.replace(bare, "$1'");
}

/** Removes the apostrophes that `guarded` adds. */
function unguarded(text: string): string {
  return text.replace(withApostrophe, '$1');
}

/** Returns one line of a file, with its line break. `readCells` returns the same texts. */
export function writeCells(texts: readonly string[]): string {
  return `${texts.map(guarded).map(quoted).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The most columns of a file. Exports of other systems have some dozens. */
export const mostColumns = 1_000;

/**
 * Returns the cells of one record, or `undefined` if its quotation marks are wrong. It must not contain NUL. Of more cells than `most`, it may
 * leave out those after one more.
 */
export function readCells(record: string, most = mostColumns): readonly string[] | undefined {
  if (!record.includes('"')) return record.split(',', most + 1).map((cell) => unguarded(cell.trim()));
  try {
    const [cells = []] = parse(record, { trim: true, record_delimiter: '\0' });
    return cells.map(unguarded);
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

/** Returns the cells of a record below a header of `count` columns, what is wrong with it, or `undefined` if it is empty. */
export function cellsIn(record: string, count: number): readonly string[] | string | undefined {
  if (record.includes('\0')) return 'It contains a NUL character.';
  const found = readCells(record, count);
  if (found === undefined) return 'A quotation mark is out of place or not closed.';
  if (found.every((cell) => cell === '')) return undefined;
  if (found.length === count) return found;
  return `It has ${found.length > count ? 'more' : found.length} cells, but the header has ${count}.`;
}
