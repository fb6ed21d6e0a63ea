import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { texts } from '../../ui/texts.ts';
import { shown } from '../answer.ts';
import { page } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import { Calls } from './calls.tsx';
import { PlanPanel } from './contents.tsx';
import { KeyList } from './key-list.tsx';
import { ownerOf, ownKeys, type PlanTools } from './plan-tools.ts';

/** The first page of the account: the plan with what it includes, its use, and the API keys. */
export function planOverview(dashboard: DashboardTools, tools: PlanTools): Endpoint {
  const { accounts, usage, files, contentsOf } = tools;
  return page(dashboard, {
    id: 'plan',
    path: '/account',
    audience: 'user',
    async show(visit) {
      const { frame } = visit;
      const user = await accounts.find(ownerOf(visit));
      if (isRefused(user)) throw new Failure('not_found');
      const [used, stored, keys] = await Promise.all([usage.usageOf(user), files.used(user.id), ownKeys(tools, visit)]);
      const calls = <Calls days={used.days} />;
      return shown(
        <AreaPage frame={frame} place={{ area: 'account', at: 'plan' }} title={texts.plan.title}>
          <PlanPanel plan={contentsOf(user.tier)} usage={used} stored={stored} />
          {/* Without a key there are no calls, and the first thing to do is to make one. */}
          {keys.length > 0 && calls}
          <KeyList keys={keys} now={dashboard.clock.now()} root={frame.root} />
          {keys.length === 0 && calls}
        </AreaPage>,
      );
    },
  });
}
