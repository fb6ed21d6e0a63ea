import type { ComponentChildren, VNode } from 'preact';

/** A column of a list. */
export interface Column<Row> {
  readonly title: string;
  /** Numbers stand on the right. */
  readonly isNumber?: boolean;
  /** Whether only screen readers get the title. */
  readonly isTitleUnseen?: boolean;
  cell(row: Row): ComponentChildren;
}

/** A table of rows. On a narrow screen it scrolls inside its box, which the keyboard can reach too. */
export function List<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  /** The name of the table, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string | number;
}): VNode {
  const classOf = ({ isNumber = false }: Column<Row>) => (isNumber ? 'number' : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with the keyboard
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.isTitleUnseen ? <span class="unseen">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.title} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
