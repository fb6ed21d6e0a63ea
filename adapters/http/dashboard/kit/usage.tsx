import type { VNode } from 'preact';
import type { Clock, Instant } from '../../../../core/ports/clock.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { SellingUsage, UsageReport, UsageSubject } from '../../../../core/selling/usage.ts';
import { type AskedRange, startOf, steps } from '../../../../core/selling/usage-hours.ts';
import { Failure } from '../../failures.ts';
import { ChoiceLinks } from '../../ui/choice-links.tsx';
import { counted } from '../../ui/numbers.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { Plot } from '../../ui/plot.tsx';
import type { SignedInVisit } from './page.ts';
import { chosen } from './query.ts';
import { sellerIn } from './selling.tsx';

export const usageWords = {
  title: 'Usage',
  verifications: 'Verifications',
  domains: 'Active domains',
  ranges: 'Time',
  range: { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' },
  total: (count: number) => counted(count, 'verification'),
  none: 'Not used in this time.',
  hours: { verifications: 'per hour', domains: 'at the end of the hour' },
  days: { verifications: 'per day', domains: 'at the end of the day' },
  counted: 'Counted once an hour, up to the last full hour.',
};

/** The ranges that a page can show: whole hours up to now, or days up to today. */
const ranges = {
  '24h': { by: 'hour', count: 24 },
  '7d': { by: 'hour', count: 7 * 24 },
  '30d': { by: 'day', count: 30 },
  '90d': { by: 'day', count: 90 },
} as const;
type RangeName = keyof typeof ranges;

/** The ranges of each kind of page. Licenses have figures of days only. The shortest first. */
const rangesOf = {
  product: ['24h', '7d', '30d', '90d'],
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
  const range = chosen<RangeName>(visit.query.usage ?? '', choices) ?? '30d';
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
  const units = by === 'hour' ? usageWords.hours : usageWords.days;
  const isUsed = points.some(({ verifications, activeDomains }) => verifications > 0 || activeDomains > 0);
  const shared = { root, step: by, isTableFolded: true };
  return (
    <section id="usage">
      <PartHead
        title={usageWords.title}
        lead={
          <>
            {isUsed && `${usageWords.total(total)}. `}
            {usageWords.counted}
          </>
        }
      >
        <ChoiceLinks
          label={usageWords.ranges}
          names={usageWords.range}
          values={choices}
          chosen={range}
          hrefOf={(one) => `${address}?usage=${one}#usage`}
        />
      </PartHead>
      {isUsed ? (
        <div class="boards">
          <Plot
            {...shared}
            title={usageWords.verifications}
            unit={units.verifications}
            series={[
              {
                label: usageWords.verifications,
                as: 'bars',
                points: points.map(({ at, verifications }) => ({ at, value: verifications })),
              },
            ]}
          />
          <Plot
            {...shared}
            title={usageWords.domains}
            unit={units.domains}
            series={[
              {
                label: usageWords.domains,
                as: 'area',
                points: points.map(({ at, activeDomains }) => ({ at, value: activeDomains })),
              },
            ]}
          />
        </div>
      ) : (
        <p class="blank">{usageWords.none}</p>
      )}
    </section>
  );
}
