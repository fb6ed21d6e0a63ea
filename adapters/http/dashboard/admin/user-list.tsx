import type { VNode } from 'preact';
import type { UserPage, UserQuery } from '../../../../core/accounts/administration.ts';
import { roles } from '../../../../core/accounts/role.ts';
import { tierNames } from '../../../../core/accounts/tier.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { Filter, FilterSelect, FilterText } from '../../ui/filter.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { shown } from '../answer.ts';
import { FilteredPaging, NoRows, withAll } from '../filtered-list.tsx';
import { orFail } from '../or-fail.ts';
import { actorOf, page } from '../page.ts';
import { type Choices, choicesIn, chosen, isAny } from '../query.ts';
import type { DashboardTools } from '../tools.ts';
import type { Visit } from '../visit.ts';
import type { AdminTools } from './admin-tools.ts';
import { RoleTag, StateTag } from './user-tags.tsx';

const { users: words } = texts.admin;
const perPage = 50;
const here = 'admin/users';
const isSuspendedIn = { active: false, suspended: true } as const satisfies Record<keyof typeof words.states, boolean>;

export function userListPage(tools: DashboardTools, { users }: AdminTools): Endpoint {
  return page(tools, {
    id: 'admin-users',
    path: `/${here}`,
    audience: 'users:read',
    async show(visit) {
      const choices = choicesIn(visit, 'search', 'tier', 'role', 'state');
      const { after = '' } = visit.query;
      const found = orFail(await users.list({ ...queryOf(choices), after: after || undefined }, actorOf(visit)));
      return shown(<UserListPage visit={visit} choices={choices} found={found} isFirst={after === ''} />);
    },
  });
}

function queryOf({ search, tier, role, state }: Readonly<Record<'search' | 'tier' | 'role' | 'state', string>>) {
  const wanted = chosen(state, ['active', 'suspended']);
  return {
    search: search || undefined,
    tier: chosen(tier, tierNames),
    role: chosen(role, roles),
    isSuspended: wanted && isSuspendedIn[wanted],
    limit: perPage,
  } satisfies UserQuery;
}

function UserListPage({
  visit: { frame },
  choices,
  found: { users, next },
  isFirst,
}: {
  readonly visit: Visit;
  readonly choices: Choices;
  readonly found: UserPage;
  readonly isFirst: boolean;
}): VNode {
  const address = `${frame.root}${here}`;
  const { search = '', tier = '', role = '', state = '' } = choices;
  const columns: readonly Column<User>[] = [
    {
      title: words.name,
      cell: ({ id, name, email }) => (
        <a href={`${address}/${id}`} dir="auto" class="breakable">
          {name || email}
        </a>
      ),
    },
    { title: words.email, cell: ({ email }) => <span class="breakable">{email}</span> },
    { title: words.tier, cell: ({ tier }) => texts.admin.tiers[tier] },
    { title: words.role, cell: ({ role }) => <RoleTag role={role} /> },
    { title: words.state, cell: (user) => <StateTag user={user} /> },
    { title: words.added, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  return (
    <AreaPage
      frame={frame}
      place={{ area: 'admin', at: 'users' }}
      title={words.title}
      actions={
        <a class="button primary" href={`${address}/invite`}>
          {words.invite}
        </a>
      }
    >
      <Filter isActive={isAny(choices)} clear={address}>
        <FilterText name="search" label={words.search} value={search} />
        <FilterSelect name="tier" label={words.tier} value={tier} options={withAll(texts.admin.tiers)} />
        <FilterSelect name="role" label={words.role} value={role} options={withAll(texts.admin.roles)} />
        <FilterSelect name="state" label={words.state} value={state} options={withAll(words.states)} />
      </Filter>
      {users.length === 0 ? (
        <NoRows title={words.none} advice={words.noneAdvice} href={address} />
      ) : (
        <List label={words.list} columns={columns} rows={users} keyOf={({ id }) => id} />
      )}
      <FilteredPaging
        label={words.pages}
        address={address}
        choices={choices}
        isFirst={isFirst}
        next={next === null ? undefined : { after: next }}
      />
    </AreaPage>
  );
}
