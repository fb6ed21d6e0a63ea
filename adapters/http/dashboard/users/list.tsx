import type { VNode } from 'preact';
import { z } from 'zod';
import type { Accounts } from '../../../../core/accounts/accounts.ts';
import { type Role, roles } from '../../../../core/accounts/role.ts';
import type { Sessions } from '../../../../core/accounts/sessions.ts';
import type { SignUp } from '../../../../core/accounts/sign-up.ts';
import { tierNames } from '../../../../core/accounts/tier.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { DetailedUser, UserAdministration, UserQuery } from '../../../../core/accounts/user-administration.ts';
import { parseId, toUserId } from '../../../../core/id.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas, entryOf } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ChoiceField, Form, SelectField, TextField } from '../../ui/form.tsx';
import { List } from '../../ui/list.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { planNames } from '../../ui/words.ts';
import { goTo, shown } from '../kit/answer.ts';
import { emailAddress, oneOf } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { list } from '../kit/list.tsx';
import { withAll } from '../kit/listing.tsx';
import { actorOf, type DashboardTools, orFail } from '../kit/page.ts';
import { chosen } from '../kit/query.ts';
import type { Subject } from '../kit/subject-page.tsx';
import { invitation, plainUser, roles as roleNames, list as words } from './words.ts';

/** The dependencies of the pages about users. */
export interface UserTools {
  readonly users: UserAdministration;
  readonly accounts: Pick<Accounts, 'setTier' | 'setSelling' | 'listKeys' | 'revokeKey'>;
  readonly sessions: Pick<Sessions, 'list' | 'end'>;
  readonly invite: SignUp['invite'];
  /** The public address of the site, for links to hand over. */
  readonly baseUrl: string;
}

/** The entry of the navigation that all pages about users belong to. */
const place = { area: 'admin', at: 'users' } as const;
/** The path of the list of users, from the site's first page. */
const usersPath = areas.admin.users;

/** A user, for administrators. */
export function userSubject({ users }: UserTools): Subject<DetailedUser> {
  return {
    path: `/${usersPath}/:id`,
    audience: 'users:read',
    async find(visit) {
      const id = parseId(visit.params.id ?? '', toUserId);
      if (id === undefined) throw new Failure('not_found');
      return orFail(await users.detail(String(id), actorOf(visit)));
    },
    about: ({ user: { id, name, email } }) => ({
      name: name || email,
      path: `${usersPath}/${id}`,
      place,
      above: [entryOf(place)],
    }),
  };
}

const perPage = 50;
const isSuspendedIn = { active: false, suspended: true } as const satisfies Record<keyof typeof words.states, boolean>;

export function userList(tools: DashboardTools, { users }: UserTools): Endpoint[] {
  return list(tools, {
    id: 'admin-users',
    place,
    audience: 'users:read',
    filters: {
      search: { label: words.search },
      tier: { label: words.tier, options: withAll(planNames) },
      role: { label: words.role, options: withAll(roleNames) },
      state: { label: words.state, options: withAll(words.states) },
    },
    async find({ choices, after, seller: { actor } }) {
      const found = orFail(await users.list({ ...queryOf(choices), after }, actor));
      return { rows: found.users, next: found.next };
    },
    show: ({ rows }, { address }) => ({
      actions: <ButtonLink href={`${address}/invite`} text={words.invite} look="primary" />,
      table: <UserTable users={rows} address={address} />,
    }),
    none: { title: words.none, advice: words.noneAdvice },
    pages: words.pages,
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

function UserTable({ users, address }: { readonly users: readonly User[]; readonly address: string }): VNode {
  return (
    <List
      label={words.list}
      rows={users}
      columns={[
        {
          title: words.name,
          cell: ({ id, name, email }) => (
            <a href={`${address}/${id}`} dir="auto" class="breakable">
              {name || email}
            </a>
          ),
        },
        { title: words.email, cell: ({ email }) => <span class="breakable">{email}</span> },
        { title: words.tier, cell: ({ tier }) => planNames[tier] },
        { title: words.role, cell: ({ role }) => <RoleTag role={role} /> },
        { title: words.state, cell: (user) => <StateTag user={user} /> },
        { title: words.added, cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}

export function RoleTag({ role }: { readonly role: Role | null }): VNode {
  return role === null ? <span>{plainUser}</span> : <span class="tag good">{roleNames[role]}</span>;
}

export function StateTag({ user: { suspendedAt } }: { readonly user: Pick<User, 'suspendedAt'> }): VNode {
  if (suspendedAt === null) return <span>{words.states.active}</span>;
  return <span class="tag bad">{words.states.suspended}</span>;
}

/**
 * Invites somebody, by mail or with a link that is shown once. It asks for the password to give a role, and to show a
 * link: that may open the account of an administrator who has no password yet.
 */
export function invitePages(tools: DashboardTools, { invite, baseUrl }: UserTools): Endpoint[] {
  return form(tools, {
    id: 'admin-invite',
    path: `/${usersPath}/invite`,
    audience: 'users:manage',
    isSensitive: ({ role = '', deliver = '' }) =>
      (role !== '' && role !== 'none') || (deliver !== '' && deliver !== 'letter'),
    fields: z.object({
      email: emailAddress,
      role: oneOf(['none', ...roles], invitation.wrongRole),
      deliver: oneOf(['letter', 'return'], invitation.wrongDelivery),
    }),
    initial: () => ({ role: 'none', deliver: 'letter' }),
    render: ({ frame }, state) => (
      <AreaPage frame={frame} place={place} title={invitation.title} isBelow>
        <p class="intro">{invitation.lead}</p>
        <Form state={state} submit={invitation.submit} cancel={`${frame.root}${usersPath}`}>
          <TextField name="email" type="email" label={invitation.email} />
          <SelectField
            name="role"
            label={invitation.role}
            hint={invitation.roleHint}
            options={[['none', plainUser], ...Object.entries(roleNames)]}
          />
          <ChoiceField
            type="radio"
            name="deliver"
            label={invitation.deliver}
            options={[
              ['letter', tools.sendsMail ? invitation.byLetter : invitation.byKeptLetter],
              ['return', invitation.byHand],
            ]}
          />
        </Form>
      </AreaPage>
    ),
    async act(visit, { email, role, deliver }) {
      const invited = orFail(await invite({ email, role: role === 'none' ? null : role, deliver }, actorOf(visit)));
      if (isRefused(invited)) return invited;
      if (invited.token === undefined) return goTo(usersPath, { notice: 'invitation_sent' });
      const { frame } = visit;
      return shown(
        <AreaPage frame={frame} place={place} title={invitation.linkTitle} isBelow scripts={['copy.js']}>
          <p class="intro">{invitation.linkLead(email)}</p>
          <Secret id="link" label={invitation.link} value={`${baseUrl}/invitation#${invited.token}`} />
          <p>
            <ButtonLink href={`${frame.root}${usersPath}`} text={invitation.done} />
          </p>
        </AreaPage>,
      );
    },
    refusals: {
      email_taken: { field: 'email', text: invitation.taken },
      sign_up_closed: { text: invitation.closed },
    },
  });
}
