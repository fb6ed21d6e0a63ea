import { writeCells } from './cells.ts';

/**
 * Makes the writer of a file with these columns: CSV with commas between the cells. The first line names the columns. The
 * columns are in their order, each with the text of its cell.
 */
export function sheetWriter<Row>(
  columns: Readonly<Record<string, (row: Row) => string>>,
): (pages: AsyncIterable<readonly Row[]>) => AsyncGenerator<string> {
  const cells = Object.values(columns);
  return async function* (pages) {
    let head = writeCells(Object.keys(columns));
    for await (const rows of pages) {
      yield rows.reduce((text, row) => text + writeCells(cells.map((cell) => cell(row))), head);
      head = '';
    }
    if (head !== '') yield head;
  };
}
