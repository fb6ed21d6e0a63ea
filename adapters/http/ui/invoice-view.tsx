import type { ComponentChildren, VNode } from 'preact';
import type { InvoiceSheet } from '../../contracts/invoice-sheet.ts';
import { ButtonLink } from './button-link.tsx';
import { invoiceWords as names } from './invoice-words.ts';
import { Facts } from './list.tsx';

/** An invoice or a credit note on a page. */
export function InvoiceView({ sheet }: { readonly sheet: InvoiceSheet }): VNode {
  const { title, warning, parties, facts, columns, items, sums, notes } = sheet;
  return (
    <section class="panel receipt" aria-label={title}>
      {warning !== undefined && <p class="note">{warning}</p>}
      <Facts
        facts={[
          ...parties.map(
            ({ label, lines }) =>
              [
                label,
                <span key={label}>
                  {lines.map((line, at) => (
                    <span key={at} class="whole-line" dir="auto">
                      {line}
                    </span>
                  ))}
                </span>,
              ] as const,
          ),
          ...facts,
        ]}
      />
      <table class="list">
        <caption class="unseen">{names.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{columns[0]}</th>
            <th scope="col" class="number">
              {columns[1]}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ text, under, amount }) => (
            <tr key={text}>
              <td>
                <span dir="auto">{text}</span>
                {under.map((more) => (
                  <span key={more} class="under">
                    {more}
                  </span>
                ))}
              </td>
              <td class="number">{amount}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {sums.map(({ label, amount, isTotal }, at) => (
            <tr key={at} class={isTotal ? 'total' : undefined}>
              <th scope="row">{label}</th>
              <td class="number">{amount}</td>
            </tr>
          ))}
        </tfoot>
      </table>
      {notes.map((note) => (
        <p key={note} dir="auto">
          {note}
        </p>
      ))}
    </section>
  );
}

/** The buttons below an invoice, and its credit notes. None of it is printed. */
export function InvoiceActs({
  address,
  notes,
  back,
  children,
}: {
  /** The address of the order. */
  readonly address: string;
  readonly notes: readonly { readonly number: number; readonly title: string }[];
  readonly back: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <>
      <p class="choices screen">
        <ButtonLink href={`${address}/invoice.pdf`} text={names.pdf} />
        <button type="button" class="button" hidden data-print>
          {names.print}
        </button>
        {children}
        <ButtonLink href={address} text={back} />
      </p>
      {notes.length > 0 && (
        <section class="screen" aria-labelledby="credit-notes">
          <h2 id="credit-notes">{names.notes}</h2>
          <p class="lead">{names.noteLead}</p>
          <ul>
            {notes.map(({ number, title }) => (
              <li key={number}>
                <a href={`${address}/credit-notes/${number}.pdf`}>{title} (PDF)</a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
