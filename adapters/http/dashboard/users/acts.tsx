import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { assignedTier } from '../../../../core/accounts/paid-tier.ts';
import { roles } from '../../../../core/accounts/role.ts';
import { tierNames } from '../../../../core/accounts/tier.ts';
import { sellingRights } from '../../../../core/accounts/user.ts';
import type { DetailedUser } from '../../../../core/accounts/user-administration.ts';
import type { Endpoint } from '../../surface.ts';
import { ChoiceField, HiddenField, SelectField, TextField } from '../../ui/form.tsx';
import { planNames } from '../../ui/words.ts';
import { act } from '../kit/act.tsx';
import { oneOf, optional } from '../kit/fields.ts';
import { actorWith, type DashboardTools } from '../kit/page.ts';
import type { Subject, SubjectVisit } from '../kit/subject-page.tsx';
import type { UserTools } from './list.tsx';
import {
  invitation,
  lastAdmin,
  reason as reasonWords,
  roleChange,
  sellingChange,
  suspension,
  tierChange,
  user as userWords,
  wrongTier,
} from './words.ts';

const reason = optional(500);
const refusals = { last_admin: { text: lastAdmin } };

/** The acts on a user: suspension, role, plan and right to sell. Each asks for the reason. */
export function userActs(
  tools: DashboardTools,
  subject: Subject<DetailedUser>,
  { users, accounts }: UserTools,
): Endpoint[] {
  return [
    ...act(tools, subject, {
      id: 'admin-suspend',
      name: 'suspend',
      audience: 'users:manage',
      fields: z.object({ reason }),
      ask: (at) => ({
        title: suspension.title,
        submit: suspension.submit,
        isDangerous: true,
        lead: (
          <Lead at={at} self={suspension.self}>
            <p>{suspension.lead}</p>
            <ul>
              {suspension.stops.map((what) => (
                <li key={what}>{what}</li>
              ))}
            </ul>
            <p>{suspension.stays}</p>
          </Lead>
        ),
        fields: <ReasonField />,
      }),
      work: ({ one: { user }, visit, fields }) => users.suspend(String(user.id), actorWith(visit, fields.reason)),
      notice: 'user_suspended',
      refusals,
    }),

    ...act(tools, subject, {
      id: 'admin-reinstate',
      name: 'reinstate',
      audience: 'users:manage',
      fields: z.object({ reason }),
      ask: asking({ title: suspension.back, lead: suspension.backLead, submit: suspension.backSubmit }),
      work: ({ one: { user }, visit, fields }) => users.reinstate(String(user.id), actorWith(visit, fields.reason)),
      notice: 'user_reinstated',
      refusals,
    }),

    ...act(tools, subject, {
      id: 'admin-role',
      name: 'role',
      audience: 'roles:set',
      isSensitive: true,
      fields: z.object({ reason, role: oneOf(['none', ...roles], invitation.wrongRole) }),
      ask(at) {
        const { role, email } = at.one.user;
        const isTaken = role !== null;
        return {
          title: isTaken ? roleChange.takeTitle : roleChange.giveTitle,
          submit: isTaken ? roleChange.takeSubmit : roleChange.giveSubmit,
          isDangerous: isTaken,
          lead: (
            <Lead at={at} self={isTaken ? roleChange.self : undefined}>
              <p>{isTaken ? roleChange.takeLead(email) : roleChange.giveLead(email)}</p>
              <p>
                {roleChange.signsOut} {isTaken && roleChange.lastStays}
              </p>
            </Lead>
          ),
          fields: (
            <>
              <HiddenField name="role" value={isTaken ? 'none' : 'admin'} />
              <ReasonField />
            </>
          ),
        };
      },
      work: ({ one: { user }, visit, fields: { role, reason } }) =>
        users.setRole(String(user.id), role === 'none' ? null : role, actorWith(visit, reason)),
      notice: ({ role }) => (role === null ? 'role_taken' : 'role_given'),
      refusals,
    }),

    ...act(tools, subject, {
      id: 'admin-plan',
      name: 'plan',
      audience: 'users:manage',
      fields: z.object({ reason, tier: oneOf(tierNames, wrongTier) }),
      initial: ({ one: { user } }) => ({ tier: assignedTier(user) }),
      edits: ['tier'],
      ask: asking(
        tierChange,
        <SelectField name="tier" label={userWords.tier} options={tierNames.map((tier) => [tier, planNames[tier]])} />,
      ),
      work: ({ one: { user }, visit, fields: { tier, reason } }) =>
        accounts.setTier(String(user.id), tier, actorWith(visit, reason), user),
      notice: 'plan_set',
      refusals: {},
    }),

    ...act(tools, subject, {
      id: 'admin-selling',
      name: 'selling',
      audience: 'users:manage',
      isSensitive: true,
      fields: z.object({ reason, selling: oneOf(['none', ...sellingRights], sellingChange.wrong) }),
      initial: ({ one: { user } }) => ({ selling: user.selling ?? 'none' }),
      edits: ['selling'],
      ask: asking(
        sellingChange,
        <ChoiceField
          name="selling"
          type="radio"
          label={userWords.selling}
          options={Object.entries(sellingChange.choices)}
        />,
      ),
      work: ({ one: { user }, visit, fields: { selling, reason } }) =>
        accounts.setSelling(String(user.id), selling === 'none' ? null : selling, actorWith(visit, reason), user),
      notice: 'selling_set',
      refusals: {},
    }),
  ];
}

/** The question of an act that one sentence explains. `field` stands above the reason. */
function asking({ title, lead, submit }: Readonly<Record<'title' | 'lead' | 'submit', string>>, field?: VNode) {
  return (at: SubjectVisit<DetailedUser>) => ({
    title,
    submit,
    lead: (
      <Lead at={at}>
        <p>{lead}</p>
      </Lead>
    ),
    fields: (
      <>
        {field}
        <ReasonField />
      </>
    ),
  });
}

/** What an act does, and a warning for administrators who change their own account. */
function Lead({
  at: { one, visit },
  self,
  children,
}: {
  readonly at: SubjectVisit<DetailedUser>;
  readonly self?: string | undefined;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <>
      <div class="intro">{children}</div>
      {self !== undefined && one.user.id === visit.me.login.id && <p class="note">{self}</p>}
    </>
  );
}

function ReasonField(): VNode {
  return <TextField name="reason" label={reasonWords.label} hint={reasonWords.hint} />;
}
