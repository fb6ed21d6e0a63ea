import type { ComponentChildren, VNode } from 'preact';
import { fill, opening } from './html.ts';

/** A fact with its name. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** A text that somebody typed, in any language. */
export function typed(text: string): VNode {
  return <span dir="auto">{text}</span>;
}

/** Facts below each other, with their names beside them. Those that are not known are left out. */
export function Facts({ facts }: { readonly facts: readonly (Fact | false | undefined)[] }): VNode {
  return (
    <dl class="facts-list">
      {facts
        .filter((fact) => fact !== false && fact !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A column of a list. */
export interface Column<Row> {
  readonly title: string;
  /** Numbers stand on the right. */
  readonly isNumber?: boolean;
  /** The state of the row: on a phone it stands beside the first column. */
  readonly isState?: boolean;
  /** Only screen readers get the title. For buttons and boxes: on a phone they stand in a corner of the row. */
  readonly isTitleUnseen?: boolean;
  /** Stands in the head of the table beside the title. */
  readonly head?: ComponentChildren;
  cell(row: Row): ComponentChildren;
}

/**
 * A table of rows. On a phone, each row is a card: the first column is its title, and the others have their titles above them.
 * On a wider screen it scrolls inside its box, which the keyboard can reach too.
 */
export function List<Row>({
  label,
  columns,
  rows,
}: {
  /** The name of the table, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}): VNode {
  const title = columns.find(({ isTitleUnseen }) => !isTitleUnseen);
  const classOf = ({ isNumber = false, isState = false }: Column<Row>) =>
    isNumber ? 'number' : isState ? 'row-state' : undefined;
  const cells = columns.map((column) =>
    opening('td', {
      class: column.isTitleUnseen ? 'beside' : classOf(column),
      'data-title': column === title || column.isTitleUnseen ? undefined : column.title,
    }),
  );
  /** What stands before, between and after the cells of a row. */
  const around = [...cells.map((cell, at) => `${at === 0 ? '<tr>' : '</td>'}${cell}`), '</td></tr>'];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with the keyboard
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.head}
                {column.isTitleUnseen ? <span class="unseen">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) =>
            fill(
              around,
              columns.map((column) => column.cell(row)),
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}
