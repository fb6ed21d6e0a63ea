import type { Accounts } from '../../../../core/accounts/accounts.ts';
import type { DeploymentPage, ListWish } from '../../../../core/deployments/deployment-list.ts';
import { deploymentStates } from '../../../../core/deployments/deployment-state.ts';
import type { Deployments } from '../../../../core/deployments/deployments.ts';
import { parseId, toTemplateId, toUserId } from '../../../../core/id.ts';
import type { CheckedDeployment } from '../../../../core/ports/deployment-checks.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { SoldDeployments, SoldWish } from '../../../../core/selling/deployment-figures.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import type { Endpoint } from '../../surface.ts';
import { NoRows } from '../../ui/empty-state.tsx';
import type { Options } from '../../ui/form.tsx';
import { type Asked, list } from '../kit/list.tsx';
import { type Rows, withAll } from '../kit/listing.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { type Owners, ownerLink, ownersOf } from '../kit/people.tsx';
import { addressWith, chosen, startOf } from '../kit/query.ts';
import { type Room, rooms } from './rooms.ts';
import { chainOptions, DeploymentTable, StateMeanings, stateOptions } from './table.tsx';
import { guidePath, words } from './words.ts';

const { list: names, figures: figureNames } = words;
const onPage = 50;

/** The dependencies of the pages about deployments. */
export interface DeploymentTools {
  readonly sold: SoldDeployments;
  readonly deployments: Pick<Deployments, 'list' | 'export'>;
  readonly products: Pick<SellerProducts, 'list'>;
  readonly accounts: Pick<Accounts, 'find'>;
}

interface Found extends Rows {
  readonly rows: readonly CheckedDeployment[];
  readonly chains: Options;
}

const common = {
  chain: { label: names.chain, options: ({ chains }: Found) => chains },
  state: { label: names.state, options: stateOptions },
  day: { label: names.day, isDate: true },
} as const;

function wishOf({ chain, state, day }: Readonly<Record<keyof typeof common, string>>): ListWish {
  const chainId = parseId(chain, Number);
  return { chainId: chainId || undefined, state: chosen(state, deploymentStates), day: startOf(day) };
}

function foundIn({ items, next }: DeploymentPage, { chainId }: ListWish): Found {
  return { rows: items, next, chains: chainOptions(items, chainId) };
}

const shared = {
  none: { ...names.noneFound, soFar: names.soFar },
  pages: names.title,
  scripts: ['copy.js'],
} as const;

/** Before the first deployment, there is nothing to show but how one is reported. */
const noRows = (root: string) => ({ icon: 'deployments', href: `${root}${guidePath}`, action: words.guide }) as const;

/** The list of the deployments that the reader's API keys have reported. */
export function ownDeployments(tools: DashboardTools, { deployments }: DeploymentTools): Endpoint[] {
  const filters = { template: { label: names.templateTyped }, ...common };
  type Wanted = Asked<keyof typeof filters>;
  const wished = ({ choices }: Wanted) => ({ ...wishOf(choices), template: choices.template || undefined });
  const listerOf = ({ visit: { me }, seller: { mode } }: Wanted) => ({ user: me.login, mode });
  return list(tools, {
    ...shared,
    id: 'own-deployments',
    place: { area: 'account', at: 'deployments' },
    audience: 'user',
    reach: 'all',
    filters,
    async find(asked) {
      const wish = wished(asked);
      const page = await deployments.list(listerOf(asked), { ...wish, after: asked.after, limit: onPage });
      return foundIn(orFail(page), wish);
    },
    show: ({ rows }, { root }) => ({
      above: <p class="intro">{names.ownLead}</p>,
      table: (
        <>
          <DeploymentTable label={names.title} rows={rows} />
          <StateMeanings root={root} />
        </>
      ),
      first: <NoRows {...noRows(root)} title={names.noneTitle} advice={names.noneAdvice} />,
    }),
    csv: { filename: 'deployments.csv', write: (asked) => deployments.export(listerOf(asked), wished(asked)) },
  });
}

interface SoldFound extends Found {
  readonly templates: Options | undefined;
  readonly owners: Owners;
}

const soldFilters = {
  template: { label: names.template, options: ({ templates }: SoldFound) => templates },
  ...common,
  account: { label: names.accountTyped },
};
type Wanted = Asked<keyof typeof soldFilters>;

/** The lists of deployments: for sellers those of their templates, for administrators all. */
export function soldDeployments(tools: DashboardTools, own: DeploymentTools): Endpoint[] {
  return rooms.flatMap((room) => soldList(tools, own, room));
}

function wishedBy({ choices, ownerId }: Wanted): SoldWish {
  // A text that is no number finds nothing.
  const idIn = (text: string) => (text === '' ? undefined : (parseId(text, Number) ?? 0));
  const [template, account] = [idIn(choices.template), idIn(choices.account)];
  return {
    ...wishOf(choices),
    templateId: template === undefined ? undefined : toTemplateId(template),
    userId: account === undefined ? undefined : toUserId(account),
    sellerId: ownerId,
  };
}

function soldList(tools: DashboardTools, { sold, accounts }: DeploymentTools, room: Room): Endpoint[] {
  return list(tools, {
    ...shared,
    id: `${room.id}-list`,
    place: room.place,
    below: 'list',
    audience: room.audience,
    reach: room.reach,
    title: names.title,
    filters: soldFilters,
    async find(asked): Promise<SoldFound> {
      const wish = wishedBy(asked);
      const [page, groups] = await Promise.all([
        sold.list({ ...wish, after: asked.after, limit: onPage }, asked.seller),
        sold.figures({ by: 'template', sellerId: asked.ownerId }, asked.seller),
      ]);
      const found = foundIn(orFail(page), wish);
      const known = (isRefused(groups) ? [] : groups).flatMap(({ templateId, title }) =>
        templateId === null ? [] : [[String(templateId), title ?? String(templateId)] as const],
      );
      const { template } = asked.choices;
      const templates = withAll(Object.fromEntries([...(template === '' ? [] : [[template, template]]), ...known]));
      const readers = room.reach === 'all' ? found.rows.map(({ userId }) => userId) : [];
      return { ...found, templates, owners: await ownersOf(accounts, readers) };
    },
    show: ({ rows, owners }, { root, address }) => ({
      above: <p class="intro">{names.lead}</p>,
      table: (
        <>
          <DeploymentTable
            label={names.title}
            rows={rows}
            more={[
              {
                title: names.account,
                cell: ({ userId }) =>
                  room.reach === 'all' ? (
                    ownerLink(root, userId, owners)
                  ) : (
                    <a href={addressWith(address, { account: String(userId) })}>{figureNames.accountOf(userId)}</a>
                  ),
              },
            ]}
          />
          <StateMeanings root={root} />
        </>
      ),
      first: <NoRows {...noRows(root)} title={figureNames.noneTitle} advice={room.noneAdvice} />,
    }),
    csv: { filename: 'deployments.csv', write: (asked) => sold.export(wishedBy(asked), asked.seller) },
  });
}
