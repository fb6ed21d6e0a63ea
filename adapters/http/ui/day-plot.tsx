import type { VNode } from 'preact';
import type { DayUse } from '../../../core/ports/usage-log.ts';
import { layBars } from './bars.ts';
import { shortDay, shortNumber } from './numbers.ts';
import { texts } from './texts.ts';

const { plot: words } = texts.plan;

/** The width of a day in the drawing, and of its bar. */
const step = 10;
const width = 7;

/**
 * A plot with a bar for each day, oldest first. The drawing is stretched to the width of the page; the words beside it
 * are not, so that they can be read on a phone. Screen readers get a title and a description.
 */
export function DayPlot({ days }: { readonly days: readonly DayUse[] }): VNode {
  const { ticks, bars } = layBars(days.map(({ calls, refused }) => ({ lower: calls, upper: refused })));
  const top = ticks.at(-1) ?? 1;
  const right = days.length * step;
  return (
    <div class="plot">
      <div class="plot-values" aria-hidden="true">
        {ticks.toReversed().map((tick) => (
          <span key={tick}>{shortNumber(tick)}</span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${right} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-labelledby="plot-title plot-description"
      >
        <title id="plot-title">{words.title}</title>
        <desc id="plot-description">{words.description(days)}</desc>
        <defs>
          <pattern id="plot-refused" class="plot-refused" width="4" height="4" patternUnits="userSpaceOnUse">
            <rect width="4" height="4" />
            <path d="M0 1h4" />
          </pattern>
        </defs>
        {ticks.map((tick) => (
          <line
            key={tick}
            class="plot-line"
            x1="0"
            x2={right}
            y1={100 - (tick / top) * 100}
            y2={100 - (tick / top) * 100}
          />
        ))}
        {bars.map(({ lower, upper }, n) => {
          const x = n * step + (step - width) / 2;
          const day = days[n];
          return (
            <g key={day?.day}>
              {day && <title>{words.day(day)}</title>}
              <rect class="plot-space" x={n * step} y="0" width={step} height="100" />
              {lower.height > 0 && <rect class="plot-calls" x={x} width={width} {...lower} />}
              {upper.height > 0 && <rect fill="url(#plot-refused)" x={x} width={width} {...upper} />}
            </g>
          );
        })}
      </svg>
      <div class="plot-days" aria-hidden="true">
        {days.map(({ day }, n) => (
          <span key={day}>{(days.length - 1 - n) % 7 === 0 ? shortDay(day) : undefined}</span>
        ))}
      </div>
    </div>
  );
}
