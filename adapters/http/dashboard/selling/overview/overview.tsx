import type { ComponentChildren, VNode } from 'preact';
import { type Count, mostCounted } from '../../../../../core/ports/license-counts.ts';
import type { OrderList } from '../../../../../core/selling/order-list.ts';
import { overviewDays, type SellerOverview, type ShowOverview } from '../../../../../core/selling/overview.ts';
import type { Endpoint } from '../../../surface.ts';
import { readableNumber } from '../../../ui/numbers.ts';
import { Plot } from '../../../ui/plot.tsx';
import { texts } from '../../../ui/texts.ts';
import { goTo, shown } from '../../answer.ts';
import { orFail } from '../../or-fail.ts';
import { page } from '../../page.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { SellingPage, sellerIn, sellingPath } from '../selling-page.tsx';
import { FirstStepsPart } from './first-steps.tsx';
import { AttentionPart, ExpiringPart, NewestPart } from './lists.tsx';
import { NewestOrders, RevenueFigure, type Sales, salesIn } from './sales.tsx';

const { sellingOverview: words } = texts;

/** The first page for sellers, in each mode. `/selling` leads to the live data. */
export function overviewPages(tools: DashboardTools, overview: ShowOverview, orders: OrderList): Endpoint[] {
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
    <SellingPage visit={visit} at="overview" title={words.title}>
      {steps.hasLicense ? (
        <Numbers visit={visit} found={found} sales={sales} />
      ) : (
        <FirstStepsPart visit={visit} steps={steps} />
      )}
      <AttentionPart visit={visit} found={found} />
      <NewestOrders visit={visit} sales={sales} />
      {steps.hasLicense && (
        <>
          <Plots root={visit.frame.root} found={found} />
          <NewestPart visit={visit} found={found} />
          <ExpiringPart visit={visit} found={found} />
        </>
      )}
    </SellingPage>
  );
}

function Numbers({ visit, found, sales }: Shown): VNode {
  const licenses = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  return (
    <dl class="numbers">
      <RevenueFigure visit={visit} sales={sales} />
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
      <Figure name={words.numbers.domains}>{readableNumber(found.activeDomains)}</Figure>
      <Figure name={words.numbers.verifications(overviewDays)}>{readableNumber(found.verifications)}</Figure>
    </dl>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
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
    const series = [{ label: title, points: plots[name] }];
    return <Plot root={root} title={title} unit={unit} step="day" isTableFolded series={series} />;
  };
  return (
    <section>
      <div class="part">
        <div>
          <h2>{words.lastDays(overviewDays)}</h2>
          <p class="lead">
            {words.counted} {found.issued.isAtLeast && words.cut(mostCounted.issuedInADay)}{' '}
            {found.active.isAtLeast && words.looked(mostCounted.active)}
          </p>
        </div>
      </div>
      {plot('verifications')}
      <div class="boards">
        {plot('domains')}
        {plot('issued')}
      </div>
    </section>
  );
}
