import type { ComponentChildren, VNode } from 'preact';
import type { Usage } from '../../../../core/accounts/usage.ts';
import { readableBytes } from '../../../../core/marketplace/storage-quota.ts';
import type { PlanContents } from '../../../../core/plans/plan.ts';
import type { DayUse } from '../../../../core/ports/usage-log.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { layBars } from '../../ui/bars.ts';
import { List } from '../../ui/list.tsx';
import { readableNumber, shortDay, shortNumber } from '../../ui/numbers.ts';
import { readableDay, Time } from '../../ui/time.tsx';
import { planNames } from '../../ui/words.ts';
import { shown } from '../kit/answer.ts';
import { type DashboardTools, page } from '../kit/page.ts';
import { keyPages } from './key.tsx';
import { KeyList } from './key-list.tsx';
import { newKeyPages } from './new-key.tsx';
import { rowsOf } from './plan-rows.ts';
import { PaidPart, UpgradePart } from './plans-for-sale.tsx';
import { ownerOf, ownKeys, type PlanTools, place } from './subject.tsx';
import { words } from './words.ts';

/** The pages about the plan and its API keys. If two paths match a request, the first one answers it. */
export function planPages(tools: DashboardTools, own: PlanTools): Endpoint[] {
  return [planOverview(tools, own), ...newKeyPages(tools, own), ...keyPages(tools, own)];
}

const { contents, use, included, notIncluded, planTitle } = words;

/** The first page of the account: the plan with what it includes, its use, and the API keys. */
function planOverview(tools: DashboardTools, own: PlanTools): Endpoint {
  const { accounts, usage, files, sold, contentsOf } = own;
  return page(tools, {
    id: 'plan',
    path: '/account',
    audience: 'user',
    async show(visit) {
      const { frame } = visit;
      const user = await accounts.find(ownerOf(visit));
      if (isRefused(user)) throw new Failure('not_found');
      const [used, stored, keys, plans] = await Promise.all([
        usage.usageOf(user),
        files.used(user.id),
        ownKeys(own, visit, user),
        sold.shownTo(user),
      ]);
      const plan = contentsOf(user.tier);
      const calls = <Calls days={used.days} />;
      return shown(
        <AreaPage frame={frame} place={place}>
          <PlanPanel plan={plan} usage={used} stored={stored}>
            {plans.paid && <PaidPart user={user} paid={plans.paid} root={frame.root} />}
          </PlanPanel>
          <UpgradePart
            own={plan}
            above={plans.above.map((one) => ({ ...one, plan: contentsOf(one.tier) }))}
            hasLimits={used.minute !== undefined}
            root={frame.root}
          />
          {/* Without a key there are no calls, and the first thing to do is to make one. */}
          {keys.length > 0 && calls}
          <KeyList keys={keys} now={tools.clock.now()} root={frame.root} />
          {keys.length === 0 && calls}
        </AreaPage>,
      );
    },
  });
}

/** The plan, what it includes, and how much of it is used. */
function PlanPanel({
  plan,
  usage: { minute, day },
  stored,
  children,
}: {
  readonly plan: PlanContents;
  readonly usage: Usage;
  /** Bytes. */
  readonly stored: number;
  /** What is said about the payment. */
  readonly children?: ComponentChildren;
}): VNode {
  const [used, allowed] = [readableBytes(stored), readableBytes(plan.storage)];
  return (
    <section class="panel plan">
      <h2>{planTitle(planNames[plan.tier])}</h2>
      {children}
      <ul class="contents" aria-label={contents.label}>
        {rowsOf(plan, minute !== undefined).map(({ text, isIncluded }) => (
          <li key={text} class={isIncluded ? undefined : 'missing'}>
            <span class="unseen">{isIncluded ? included : notIncluded} </span>
            {text}
          </li>
        ))}
      </ul>
      <div class="meters">
        {minute && (
          <Meter id="minute" label={use.minute} used={minute.used} most={minute.limit}>
            {use.inMinute(minute.used, minute.limit)}
          </Meter>
        )}
        {day && (
          <Meter id="day" label={use.day} used={day.used} most={day.limit}>
            {use.inDay(day.used, day.limit)}
            {day.used > 0 && (
              <>
                {'. '}
                {use.dayEnds} <Time at={day.resetAt} />
              </>
            )}
          </Meter>
        )}
        <Meter id="storage" label={use.storage} used={stored} most={plan.storage}>
          {plan.storage === 0 ? use.nothingStored(used) : use.stored(used, allowed)}
        </Meter>
      </div>
      {minute === undefined && <p class="faint">{use.unlimited}</p>}
    </section>
  );
}

/** How much of something is used, as a bar and in words. The bar changes its color when little is left. */
function Meter({
  id,
  label,
  used,
  most,
  children,
}: {
  readonly id: string;
  readonly label: string;
  readonly used: number;
  readonly most: number;
  /** The same in words. */
  readonly children: ComponentChildren;
}): VNode {
  // A meter needs a largest value above 0. If nothing is allowed, the meter is full.
  const max = Math.max(1, most);
  const value = most === 0 ? max : Math.min(used, max);
  return (
    <div class="meter">
      <label for={id}>{label}</label>
      <meter id={id} min={0} max={max} low={max * 0.8} high={max * 0.95} optimum={0} value={value} />
      <p>{children}</p>
    </div>
  );
}

const { plot } = words;

/** The calls of the last days as a plot, and the same numbers as a table. */
function Calls({ days }: { readonly days: readonly DayUse[] }): VNode {
  return (
    <section class="panel">
      <h2>{use.title}</h2>
      <p class="lead">{use.inAll(days)}</p>
      {days.some(({ calls, refused }) => calls > 0 || refused > 0) && <ShownCalls days={days} />}
    </section>
  );
}

function ShownCalls({ days }: { readonly days: readonly DayUse[] }): VNode {
  return (
    <>
      <DayPlot days={days} />
      {days.some(({ refused }) => refused > 0) && (
        <ul class="legend">
          <li class="calls">{use.legend.calls}</li>
          <li class="refused">{use.legend.refused}</li>
        </ul>
      )}
      <details class="more">
        <summary>{use.table}</summary>
        <List
          label={plot.title}
          rows={days.toReversed()}
          columns={[
            { title: use.columns.day, cell: ({ day }) => readableDay(Date.parse(day)) },
            { title: use.columns.calls, isNumber: true, cell: ({ calls }) => readableNumber(calls) },
            { title: use.columns.refused, isNumber: true, cell: ({ refused }) => readableNumber(refused) },
          ]}
        />
      </details>
    </>
  );
}

/** The width of a day in the drawing, and of its bar. */
const step = 10;
const width = 7;

/**
 * A plot with a bar for each day, oldest first. The drawing is stretched to the width of the page; the words beside it
 * are not, so that they can be read on a phone. Screen readers get a title and a description.
 */
function DayPlot({ days }: { readonly days: readonly DayUse[] }): VNode {
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
        <title id="plot-title">{plot.title}</title>
        <desc id="plot-description">{plot.description(days)}</desc>
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
              {day && <title>{plot.day(day)}</title>}
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
