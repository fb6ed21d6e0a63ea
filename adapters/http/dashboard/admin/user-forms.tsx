import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { roles } from '../../../../core/accounts/role.ts';
import { tierNames } from '../../../../core/accounts/tier.ts';
import type { User } from '../../../../core/accounts/user.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { Form, HiddenField, SelectField, TextField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import { texts } from '../../ui/texts.ts';
import { goTo } from '../answer.ts';
import { oneOf, optional } from '../fields.ts';
import { form } from '../form.ts';
import { orFail } from '../or-fail.ts';
import { actorWith } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import type { SignedInVisit } from '../visit.ts';
import { type AdminTools, userIn } from './admin-tools.ts';
import { addressOf, UserPage } from './user-frame.tsx';

const { suspension, role: roleWords, tier: tierWords, lastAdmin, tiers, wrongTier } = texts.admin;
const reason = optional(500);
const refusals = { last_admin: { text: lastAdmin } };

/** The forms that change a user: suspension, role and plan. */
export function userForms(tools: DashboardTools, admin: AdminTools): Endpoint[] {
  const { users, accounts } = admin;
  return [
    ...form(tools, {
      id: 'admin-suspend',
      path: '/admin/users/:id/suspend',
      audience: 'users:manage',
      fields: z.object({ reason }),
      render: async (visit, state) => (
        <ChangePage
          visit={visit}
          state={state}
          user={(await userIn(admin, visit)).user}
          title={suspension.title}
          submit={suspension.submit}
          self={suspension.self}
          isDangerous
        >
          <p>{suspension.lead}</p>
          <ul>
            {suspension.stops.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
          <p>{suspension.stays}</p>
        </ChangePage>
      ),
      async act(visit, { reason }) {
        const { user } = await userIn(admin, visit);
        const changed = orFail(await users.suspend(String(user.id), actorWith(visit, reason)));
        return isRefused(changed) ? changed : goTo(addressOf(user), { notice: 'user_suspended' });
      },
      refusals,
    }),

    ...form(tools, {
      id: 'admin-reinstate',
      path: '/admin/users/:id/reinstate',
      audience: 'users:manage',
      fields: z.object({ reason }),
      render: async (visit, state) => (
        <ChangePage
          visit={visit}
          state={state}
          user={(await userIn(admin, visit)).user}
          title={suspension.back}
          submit={suspension.backSubmit}
        >
          <p>{suspension.backLead}</p>
        </ChangePage>
      ),
      async act(visit, { reason }) {
        const { user } = await userIn(admin, visit);
        const changed = orFail(await users.reinstate(String(user.id), actorWith(visit, reason)));
        return isRefused(changed) ? changed : goTo(addressOf(user), { notice: 'user_reinstated' });
      },
      refusals,
    }),

    ...form(tools, {
      id: 'admin-role',
      path: '/admin/users/:id/role',
      audience: 'roles:set',
      isSensitive: true,
      fields: z.object({ reason, role: oneOf(['none', ...roles], texts.admin.invitation.wrongRole) }),
      async render(visit, state) {
        const { user } = await userIn(admin, visit);
        const isTaken = user.role !== null;
        return (
          <ChangePage
            visit={visit}
            state={state}
            user={user}
            title={isTaken ? roleWords.takeTitle : roleWords.giveTitle}
            submit={isTaken ? roleWords.takeSubmit : roleWords.giveSubmit}
            isDangerous={isTaken}
            {...(isTaken && { self: roleWords.self })}
            hidden={{ role: isTaken ? 'none' : 'admin' }}
          >
            <p>{isTaken ? roleWords.takeLead(user.email) : roleWords.giveLead(user.email)}</p>
            <p>
              {roleWords.signsOut} {isTaken && roleWords.lastStays}
            </p>
          </ChangePage>
        );
      },
      async act(visit, { role, reason }) {
        const { user } = await userIn(admin, visit);
        const wanted = role === 'none' ? null : role;
        const changed = orFail(await users.setRole(String(user.id), wanted, actorWith(visit, reason)));
        if (isRefused(changed)) return changed;
        return goTo(addressOf(user), { notice: wanted === null ? 'role_taken' : 'role_given' });
      },
      refusals,
    }),

    ...form(tools, {
      id: 'admin-plan',
      path: '/admin/users/:id/plan',
      audience: 'users:manage',
      fields: z.object({ reason, tier: oneOf(tierNames, wrongTier) }),
      initial: async (visit) => ({ tier: (await userIn(admin, visit)).user.tier }),
      render: async (visit, state) => (
        <ChangePage
          visit={visit}
          state={state}
          user={(await userIn(admin, visit)).user}
          title={tierWords.title}
          submit={tierWords.submit}
          field={
            <SelectField
              state={state}
              name="tier"
              label={texts.admin.user.tier}
              options={tierNames.map((tier) => [tier, tiers[tier]])}
            />
          }
        >
          <p>{tierWords.lead}</p>
        </ChangePage>
      ),
      async act(visit, { tier, reason }) {
        const { user } = await userIn(admin, visit);
        orFail(await accounts.setTier(String(user.id), tier, actorWith(visit, reason)));
        return goTo(addressOf(user), { notice: 'plan_set' });
      },
      refusals: {},
    }),
  ];
}

/** A page that says what the change does, and asks for the reason. */
function ChangePage({
  visit: { frame, me },
  state,
  user,
  title,
  submit,
  self,
  isDangerous = false,
  hidden = {},
  field,
  children,
}: {
  readonly visit: SignedInVisit;
  readonly state: FormState;
  readonly user: User;
  readonly title: string;
  readonly submit: string;
  /** A warning for administrators who change their own account. */
  readonly self?: string;
  readonly isDangerous?: boolean;
  /** Values that the form sends but does not show. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly field?: VNode;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <UserPage frame={frame} user={user} title={title}>
      <div class="intro">{children}</div>
      {self !== undefined && user.id === me.login.id && <p class="note">{self}</p>}
      <Form state={state} submit={submit} isDangerous={isDangerous} cancel={`${frame.root}${addressOf(user)}`}>
        {Object.entries(hidden).map(([name, value]) => (
          <HiddenField key={name} name={name} value={value} />
        ))}
        {field}
        <TextField state={state} name="reason" label={texts.admin.reason} hint={texts.admin.reasonHint} />
      </Form>
    </UserPage>
  );
}
