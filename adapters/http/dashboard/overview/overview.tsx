import type { VNode } from 'preact';
import { type Count, mostCounted } from '../../../../core/ports/license-counts.ts';
import {
  type FirstSteps,
  overviewDays,
  type SellerOverview,
  type ShowOverview,
} from '../../../../core/selling/overview.ts';
import type { Endpoint } from '../../surface.ts';
import { readableNumber } from '../../ui/numbers.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { Plot } from '../../ui/plot.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { Figure } from '../kit/money.tsx';
import { type DashboardTools, orFail, page, type SignedInVisit } from '../kit/page.ts';
import { modeIn, SellingPage, sellerIn, sellingPath } from '../kit/selling.tsx';
import { AttentionPart, ExpiringPart, NewestPart } from './parts.tsx';
import { DetailsHint, MoneyPart, NewestOrders, OrdersToAct, type Sales, type SalesTools, salesIn } from './sales.tsx';
import { words } from './words.ts';

/** The first page for sellers, in each mode. `/selling` leads to the live data. */
export function overviewPages(tools: DashboardTools, overview: ShowOverview, orders: SalesTools): Endpoint[] {
  return [
    page(tools, { id: 'selling', path: '/selling', audience: 'user', show: async () => goTo('selling/live') }),
    page(tools, {
      id: 'selling-overview',
      path: '/selling/:mode',
      audience: 'user',
      async show(visit) {
        const [found, sales] = await Promise.all([
          overview(sellerIn(visit)),
          salesIn(visit, orders, tools.clock.now()),
        ]);
        return shown(<Overview visit={visit} found={orFail(found)} sales={sales} />);
      },
    }),
  ];
}

interface Shown {
  readonly visit: SignedInVisit;
  readonly found: SellerOverview;
  readonly sales: Sales;
}

function Overview({ visit, found, sales }: Shown): VNode {
  const { steps } = found;
  return (
    <SellingPage visit={visit} at="overview">
      <OrdersToAct visit={visit} sales={sales} />
      <DetailsHint visit={visit} sales={sales} />
      {steps && firstStepsPart(visit, steps)}
      <MoneyPart visit={visit} sales={sales} />
      <AttentionPart visit={visit} found={found} />
      <NewestOrders visit={visit} sales={sales} />
      {!steps && (
        <>
          <section>
            {sales.newest.length > 0 && <PartHead title={words.licenses} />}
            <Numbers visit={visit} found={found} />
          </section>
          <NewestPart visit={visit} found={found} />
          <ExpiringPart visit={visit} found={found} />
          <Plots root={visit.frame.root} found={found} />
        </>
      )}
    </SellingPage>
  );
}

function Numbers({ visit, found }: Omit<Shown, 'sales'>): VNode {
  const licenses = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  return (
    <dl class="numbers">
      <Figure name={words.numbers.active}>
        <a class="numbers-link" href={`${licenses}?status=active`}>
          <Counted of={found.active} />
        </a>
      </Figure>
      <Figure name={words.numbers.issued(overviewDays)}>
        <a class="numbers-link" href={licenses}>
          <Counted of={found.issued} />
        </a>
      </Figure>
      <Figure name={words.numbers.domains}>
        <a class="numbers-link" href="#usage">
          {readableNumber(found.activeDomains)}
        </a>
      </Figure>
      <Figure name={words.numbers.verifications(overviewDays)}>
        <a class="numbers-link" href="#usage">
          {readableNumber(found.verifications)}
        </a>
      </Figure>
    </dl>
  );
}

function Counted({ of: { count, isAtLeast } }: { readonly of: Count }): VNode {
  return <>{isAtLeast ? words.atLeast(count) : readableNumber(count)}</>;
}

function Plots({ root, found }: { readonly root: string; readonly found: SellerOverview }): VNode {
  const { usage, issuedOn } = found;
  const plots = {
    verifications: usage.map(({ at, verifications }) => ({ at, value: verifications })),
    domains: usage.map(({ at, activeDomains }) => ({ at, value: activeDomains })),
    issued: issuedOn.map(({ at, count }) => ({ at, value: count })),
  };
  const plot = (name: keyof typeof plots) => {
    const { title, unit } = words.plots[name];
    const series = [{ label: title, as: name === 'domains' ? 'area' : 'bars', points: plots[name] }] as const;
    return <Plot root={root} title={title} unit={unit} step="day" isTableFolded series={series} />;
  };
  const names = Object.keys(plots) as (keyof typeof plots)[];
  const drawn = names.filter((name) => plots[name].some(({ value }) => value !== 0));
  return (
    <section id="usage">
      <PartHead
        title={words.lastDays(overviewDays)}
        lead={
          <>
            {words.counted} {found.issued.isAtLeast && words.cut(mostCounted.issuedInADay)}{' '}
            {found.active.isAtLeast && words.looked(mostCounted.active)}
          </>
        }
      />
      {drawn.length === 3 && plot('verifications')}
      {drawn.length > 0 && <div class="boards">{drawn.slice(drawn.length === 3 ? 1 : 0).map(plot)}</div>}
      {!drawn.includes('verifications') && (
        <p class="blank">
          {words.unused} <a href={`${root}docs/examples`}>{words.toExamples}</a>
        </p>
      )}
    </section>
  );
}

const { steps: names } = words;

/** The first steps of a new seller. The next step has the main button. */
function firstStepsPart(visit: SignedInVisit, { hasProduct, hasPublished }: FirstSteps): VNode {
  const mode = modeIn(visit);
  const steps = [
    { name: 'publish', isDone: hasProduct, path: 'products/new' },
    { name: 'approve', isDone: hasPublished, path: hasProduct ? 'products' : undefined },
    { name: 'issue', isDone: false, path: hasProduct ? 'licenses/new' : undefined },
  ] as const;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section class="panel first-steps">
      <h2>{names.title[mode]}</h2>
      <p class="lead">{names.lead[mode]}</p>
      <ol aria-label={names.list}>
        {steps.map(({ name, isDone, path }) => (
          <li key={name} class={isDone ? 'first-step done' : 'first-step'}>
            <h3>{names[name].title}</h3>
            <p>{names[name].text}</p>
            {isDone ? (
              <p class="first-step-end">
                <span class="tag good">{names.done}</span>
              </p>
            ) : (
              path && (
                <p class="first-step-end">
                  <a
                    class={next?.name === name ? 'button primary' : 'button'}
                    href={`${visit.frame.root}${sellingPath(visit, path)}`}
                  >
                    {names[name].act}
                  </a>
                </p>
              )
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
