import type { VNode } from 'preact';
import type { Instant } from '../../../../../core/ports/clock.ts';
import type { HourOfAttempts } from '../../../../../core/ports/webhook-store.ts';
import { startOf, steps } from '../../../../../core/selling/usage-hours.ts';
import type { WebhookFigures } from '../../../../../core/selling/webhook-deliveries.ts';
import { List } from '../../../ui/list.tsx';
import { readableNumber } from '../../../ui/numbers.ts';
import { Plot } from '../../../ui/plot.tsx';
import { texts } from '../../../ui/texts.ts';

const { health: words, faults: faultNames } = texts.sellingWebhooks;

/** The days of the plot, of which the last is today. */
const days = 7;

/** The start of the first day of the plot. */
export function plotStart(now: Instant): Instant {
  return startOf('day', now) - (days - 1) * steps.day;
}

/** The attempts of a time. */
export function totalOf(hours: readonly HourOfAttempts[]) {
  return {
    delivered: hours.reduce((sum, { delivered }) => sum + delivered, 0),
    failed: hours.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** The attempts of the last days, with the same values in a table. */
export function HealthPlot({
  root,
  hours,
  now,
}: {
  readonly root: string;
  readonly hours: readonly HourOfAttempts[];
  readonly now: Instant;
}): VNode {
  const start = plotStart(now);
  const points = Array.from({ length: days }, (_, n) => {
    const at = start + n * steps.day;
    return { at, ...totalOf(hours.filter(({ hour }) => startOf('day', hour) === at)) };
  });
  return (
    <Plot
      root={root}
      title={words.plot}
      unit={words.unit}
      step="day"
      series={[
        { label: words.delivered, points: points.map(({ at, delivered }) => ({ at, value: delivered })) },
        { label: words.failed, points: points.map(({ at, failed }) => ({ at, value: failed })) },
      ]}
    />
  );
}

/** The reasons why deliveries failed permanently. Renders nothing if none did. */
export function FaultList({ faults }: Pick<WebhookFigures, 'faults'>): VNode | null {
  if (faults.length === 0) return null;
  return (
    <section class="narrow">
      <h3>{words.faults}</h3>
      <List
        label={words.faults}
        columns={[
          { title: words.fault, cell: ({ fault }) => faultNames[fault] },
          { title: words.count, isNumber: true, cell: ({ count }) => readableNumber(count) },
        ]}
        rows={faults}
        keyOf={({ fault }) => fault}
      />
    </section>
  );
}
