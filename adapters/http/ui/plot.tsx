import type { VNode } from 'preact';
import type { Instant } from '../../../core/ports/clock.ts';
import { assetAddress } from './assets.ts';
import { readableNumber } from './numbers.ts';
import { formatMoney } from './prices.ts';
import { readableDay, Time } from './time.tsx';
import { plotWords } from './words.ts';

/**
 * How a series is drawn: sums of a time as bars, levels as an area, and what the others are compared with as wide, pale bars behind
 * them.
 */
export type Drawn = 'bars' | 'area' | 'behind';

/** The values of a plot. Its points are in the order of time. */
export interface Series {
  readonly label: string;
  readonly as: Drawn;
  readonly points: readonly { readonly at: Instant; readonly value: number }[];
}

/**
 * Values over time with a table of the same values beside them, newest first. Without script there is only the table. The
 * figure loads its own script and style, from this site. If there is nothing to draw, a sentence says so.
 */
export function Plot({
  root,
  title,
  unit,
  step,
  series,
  currency,
  isTableFolded = false,
}: {
  /** The relative address of the site's first page. */
  readonly root: string;
  readonly title: string;
  /** The unit of the values, such as `verifications`. */
  readonly unit: string;
  /** Days are days in UTC. Hours are in the reader's time zone if the page has the script `local-times.js`. */
  readonly step: 'hour' | 'day';
  /** One to four. The later ones stand in front. One may lack some of the times of the others. */
  readonly series: readonly Series[];
  /** If the values are amounts of money, in the main unit of this currency. */
  readonly currency?: string;
  /** Whether the table is below the lines, and has to be opened. For plots that are one of several. */
  readonly isTableFolded?: boolean;
}): VNode {
  const times = [...new Set(series.flatMap(({ points }) => points.map(({ at }) => at)))].sort((a, b) => b - a);
  const caption = (
    <figcaption>
      <strong>{title}</strong> <span class="faint">{unit}</span>
    </figcaption>
  );
  if (series.every(({ points }) => points.every(({ value }) => value === 0)))
    return (
      <figure class="graph nothing">
        {caption}
        <p class="graph-nothing">{plotWords.nothing}</p>
      </figure>
    );
  const colors = colorsOf(series);
  const columns = series.map(({ points }) => new Map(points.map(({ at, value }) => [at, value])));
  const table = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with the keyboard
    <section class="scroll" aria-label={plotWords.table(title)} tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{plotWords.times[step]}</th>
            {series.map(({ label }) => (
              <th key={label} scope="col" class="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((at) => (
            <tr key={at}>
              <th scope="row" data-at={at / 1000}>
                {step === 'day' ? readableDay(at) : <Time at={at} />}
              </th>
              {columns.map((values, n) => (
                <td key={series[n]?.label} class="number" data-title={series[n]?.label}>
                  <Value value={values.get(at)} currency={currency} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
  return (
    <figure class={isTableFolded ? 'graph folded-graph' : 'graph'} data-step={step}>
      <link rel="stylesheet" href={`${root}${assetAddress('uplot.css')}`} />
      <script type="module" src={`${root}${assetAddress('plot.js')}`} />
      {caption}
      {series.length > 1 && (
        <ul class="graph-legend" aria-hidden="true">
          {series.map(({ label }, n) => (
            <li key={label} class={colors[n]}>
              <span class="graph-line" />
              <span class="graph-name">{label}</span>
            </li>
          ))}
        </ul>
      )}
      {/* The table says the same. */}
      <div class="graph-place" aria-hidden="true">
        <div class="graph-drawing" />
        <div class="graph-tip" hidden>
          <p class="graph-at" />
          <ul class="plain-list">
            {series.map(({ label, as }, n) => (
              <li key={label} class={colors[n]} data-series={as}>
                <span>
                  <span class="graph-line" />
                  <span class="graph-name">{label}</span>
                </span>
                <span class="graph-value graph-name" />
              </li>
            ))}
          </ul>
        </div>
      </div>
      {isTableFolded ? (
        <details>
          <summary class="graph-opener">
            {plotWords.values} <span class="unseen">{title}</span>
          </summary>
          {table}
        </details>
      ) : (
        table
      )}
    </figure>
  );
}

/** The colour of each series. What stands behind takes none of the others. */
function colorsOf(series: readonly Series[]): readonly string[] {
  let drawn = 0;
  return series.map(({ as }) => (as === 'behind' ? 'line-behind' : `line-${drawn++ % 4}`));
}

function Value({
  value,
  currency,
}: {
  readonly value: number | undefined;
  readonly currency: string | undefined;
}): VNode | null {
  if (value === undefined) return null;
  return <data value={String(value)}>{currency ? formatMoney(value, currency) : readableNumber(value)}</data>;
}
