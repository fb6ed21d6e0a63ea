import type { VNode } from 'preact';
import type { DayUse } from '../../../../core/ports/usage-log.ts';
import { DayPlot } from '../../ui/day-plot.tsx';
import { List } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { texts } from '../../ui/texts.ts';

const { use: words, plot } = texts.plan;

/** The calls of the last days as a plot, and the same numbers as a table. */
export function Calls({ days }: { readonly days: readonly DayUse[] }): VNode {
  return (
    <section class="panel">
      <h2>{words.title}</h2>
      <p class="lead">{words.inAll(days)}</p>
      <DayPlot days={days} />
      <ul class="legend">
        <li class="calls">{words.legend.calls}</li>
        <li class="refused">{words.legend.refused}</li>
      </ul>
      <details class="more">
        <summary>{words.table}</summary>
        <List
          label={plot.title}
          rows={days.toReversed()}
          keyOf={({ day }) => day}
          columns={[
            { title: words.columns.day, cell: ({ day }) => day },
            { title: words.columns.calls, isNumber: true, cell: ({ calls }) => readableNumber(calls) },
            { title: words.columns.refused, isNumber: true, cell: ({ refused }) => readableNumber(refused) },
          ]}
        />
      </details>
    </section>
  );
}
