import type { VNode } from 'preact';
import type { LineFault } from '../../../../core/ports/license-sheet.ts';
import type { Checked, Firsts } from '../../../../core/selling/sheet-report.ts';
import { List } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { Day } from '../../ui/time.tsx';
import { words } from './import-words.ts';
import { words as listWords } from './words.ts';

/** The first faults of a file, or the first lines that are passed over, and the number of the others. `line`: what their numbers count. */
export function LineFaults({
  title,
  first,
  others,
  line: name,
  column = words.fault,
}: Firsts<LineFault> & { readonly title: string; readonly line: string; readonly column?: string }): VNode {
  // A line can have several faults.
  const rows = first.map((fault, at) => ({ ...fault, at }));
  return (
    <section class="line-faults">
      <h2>{title}</h2>
      {others > 0 && <p class="lead">{words.others(others)}</p>}
      <List
        label={title}
        rows={rows}
        columns={[
          { title: name, cell: ({ line }) => `${name} ${readableNumber(line)}` },
          {
            title: column,
            cell: ({ message }) => (
              <span class="line-fault" dir="auto">
                {message}
              </span>
            ),
          },
        ]}
      />
    </section>
  );
}

/** What an import of a checked file would do with its lines. `line`: what their numbers count. */
export function Plan({
  checked: { licenses, faults, passedOver, unmapped },
  line: name,
}: {
  readonly checked: Checked;
  readonly line: string;
}): VNode {
  const count = ({ first, others }: Firsts<unknown>) => first.length + others;
  const wrong = count(faults);
  return (
    <>
      <section class="line-faults">
        <h2>{words.plan.title(count(licenses))}</h2>
        <p class="lead">{wrong > 0 ? words.plan.faulty(wrong) : words.plan.lead}</p>
        {licenses.others > 0 && <p class="lead">{words.plan.others(licenses.others)}</p>}
        {licenses.first.length > 0 && (
          <List
            label={words.plan.title(count(licenses))}
            rows={licenses.first.map((one) => ({ ...one, at: one.line }))}
            columns={[
              { title: name, cell: ({ line }) => `${name} ${readableNumber(line)}` },
              { title: words.plan.product, cell: ({ product }) => product },
              { title: words.plan.status, cell: ({ status }) => listWords.statuses[status] },
              {
                title: words.plan.domains,
                isNumber: true,
                cell: ({ domains, maxDomains }) => `${readableNumber(domains)} / ${readableNumber(maxDomains)}`,
              },
              {
                title: words.plan.expires,
                cell: ({ expiresAt }) => (expiresAt === null ? words.plan.never : <Day at={expiresAt} />),
              },
            ]}
          />
        )}
      </section>
      {wrong > 0 && <LineFaults title={words.faults} line={name} {...faults} />}
      {unmapped.first.length > 0 && <Unmapped {...unmapped} />}
      {count(passedOver) > 0 && (
        <LineFaults title={words.plan.passedOver} line={name} column={words.plan.reason} {...passedOver} />
      )}
    </>
  );
}

/** The products there that were not named, so that somebody can name them. */
function Unmapped({ first, others }: Checked['unmapped']): VNode {
  return (
    <section class="line-faults">
      <h2>{words.plan.unmapped}</h2>
      {others > 0 && <p class="lead">{words.plan.moreUnmapped(others)}</p>}
      <List
        label={words.plan.unmapped}
        rows={first.map((one, at) => ({ ...one, at }))}
        columns={[
          {
            title: words.plan.theirProduct,
            cell: ({ theirProduct }) => (
              <span class="line-fault" dir="auto">
                {theirProduct}
              </span>
            ),
          },
          { title: words.plan.rows, isNumber: true, cell: ({ lines }) => readableNumber(lines) },
        ]}
      />
    </section>
  );
}
