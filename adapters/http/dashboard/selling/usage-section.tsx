import type { VNode } from 'preact';
import type { Clock, Instant } from '../../../../core/ports/clock.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { SellingUsage, UsageReport, UsageSubject } from '../../../../core/selling/usage.ts';
import { type AskedRange, startOf, steps } from '../../../../core/selling/usage-hours.ts';
import { Failure } from '../../failures.ts';
import { Plot } from '../../ui/plot.tsx';
import { texts } from '../../ui/texts.ts';
import { chosen } from '../query.ts';
import type { SignedInVisit } from '../visit.ts';
import { sellerIn } from './selling-page.tsx';

const { usage: words } = texts.sellingOverview;

/** The ranges that a page can show: whole hours up to now, or days up to today. */
const ranges = {
  '24h': { by: 'hour', count: 24 },
  '7d': { by: 'hour', count: 7 * 24 },
  '30d': { by: 'day', count: 30 },
  '90d': { by: 'day', count: 90 },
} as const;
type RangeName = keyof typeof ranges;

/** The ranges of each kind of page. Licenses have figures of days only. The first one is shown if the address has none. */
const rangesOf = {
  product: ['30d', '90d', '24h', '7d'],
  license: ['30d', '90d'],
} as const satisfies Record<string, readonly RangeName[]>;

/** The dependencies of a page that shows the use of a product or license. */
export interface UsageTools {
  readonly usage: SellingUsage;
  readonly clock: Clock;
}

/** The use of a product or license that the page shows already. */
export interface ShownUsage {
  readonly report: UsageReport;
  readonly range: RangeName;
  readonly choices: readonly RangeName[];
}

/** Reads the figures of the range that the address names with `usage`. */
export async function usageIn(
  { usage, clock }: UsageTools,
  visit: SignedInVisit,
  subject: UsageSubject,
): Promise<ShownUsage> {
  const choices = rangesOf['product' in subject ? 'product' : 'license'];
  const range = chosen<RangeName>(visit.query.usage ?? '', choices) ?? choices[0];
  const report = await usage.usage(subject, rangeUntil(clock.now(), range), sellerIn(visit));
  if (isRefused(report)) throw new Failure('not_found');
  return { report, range, choices };
}

function rangeUntil(now: Instant, name: RangeName): AskedRange {
  const { by, count } = ranges[name];
  const to = startOf(by, now) + (by === 'day' ? steps.day : 0);
  return { by, from: to - count * steps[by], to };
}

/** Verifications and active domains over time, with links to other ranges. */
export function UsageSection({
  root,
  address,
  used: { report, range, choices },
}: {
  readonly root: string;
  /** The address of the page. */
  readonly address: string;
  readonly used: ShownUsage;
}): VNode {
  const { points, total } = report;
  const { by } = ranges[range];
  const units = by === 'hour' ? words.hours : words.days;
  const { plots } = texts.sellingOverview;
  const isUsed = points.some(({ verifications, activeDomains }) => verifications > 0 || activeDomains > 0);
  const shared = { root, step: by, isTableFolded: true };
  return (
    <section id="usage">
      <div class="part">
        <div>
          <h2>{words.title}</h2>
          <p class="lead">
            {isUsed && `${words.total(total)}. `}
            {words.counted}
          </p>
        </div>
        <ul class="modes" aria-label={words.ranges}>
          {choices.map((one) => (
            <li key={one}>
              <a href={`${address}?usage=${one}#usage`} aria-current={one === range ? 'true' : undefined}>
                {words.range[one]}
              </a>
            </li>
          ))}
        </ul>
      </div>
      {isUsed ? (
        <div class="boards">
          <Plot
            {...shared}
            title={plots.verifications.title}
            unit={units.verifications}
            series={[
              {
                label: plots.verifications.title,
                points: points.map(({ at, verifications }) => ({ at, value: verifications })),
              },
            ]}
          />
          <Plot
            {...shared}
            title={plots.domains.title}
            unit={units.domains}
            series={[
              {
                label: plots.domains.title,
                points: points.map(({ at, activeDomains }) => ({ at, value: activeDomains })),
              },
            ]}
          />
        </div>
      ) : (
        <p class="blank">{words.none}</p>
      )}
    </section>
  );
}
