import { z } from 'zod';
import { roles } from '../../../../core/accounts/role.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { ChoiceField, Form, SelectField, TextField } from '../../ui/form.tsx';
import type { Frame } from '../../ui/frame.ts';
import { Secret } from '../../ui/secret.tsx';
import { texts } from '../../ui/texts.ts';
import { goTo, shown } from '../answer.ts';
import { emailAddress, oneOf } from '../fields.ts';
import { form } from '../form.ts';
import { orFail } from '../or-fail.ts';
import { actorOf } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import type { AdminTools } from './admin-tools.ts';

const { invitation: words, roles: roleNames, plainUser, users } = texts.admin;
const list = 'admin/users';
const place = { area: 'admin', at: 'users' } as const;
const aboveOf = ({ root }: Frame) => [{ href: `${root}${list}`, title: users.title }];

/**
 * Invites somebody, by mail or with a link that is shown once. It asks for the password to give a role, and to show a
 * link: that may open the account of an administrator who has no password yet.
 */
export function invitePages(tools: DashboardTools, { invite, baseUrl }: AdminTools): Endpoint[] {
  return form(tools, {
    id: 'admin-invite',
    path: `/${list}/invite`,
    audience: 'users:manage',
    isSensitive: ({ role = '', deliver = '' }) =>
      (role !== '' && role !== 'none') || (deliver !== '' && deliver !== 'letter'),
    fields: z.object({
      email: emailAddress,
      role: oneOf(['none', ...roles], words.wrongRole),
      deliver: oneOf(['letter', 'return'], words.wrongDelivery),
    }),
    initial: () => ({ role: 'none', deliver: 'letter' }),
    render: ({ frame }, state) => (
      <AreaPage frame={frame} place={place} title={words.title} above={aboveOf(frame)}>
        <p class="intro">{words.lead}</p>
        <Form state={state} submit={words.submit} cancel={`${frame.root}${list}`}>
          <TextField state={state} name="email" type="email" label={words.email} />
          <SelectField
            state={state}
            name="role"
            label={words.role}
            hint={words.roleHint}
            options={[['none', plainUser], ...Object.entries(roleNames)]}
          />
          <ChoiceField
            type="radio"
            state={state}
            name="deliver"
            label={words.deliver}
            options={[
              ['letter', words.byLetter],
              ['return', words.byHand],
            ]}
          />
        </Form>
      </AreaPage>
    ),
    async act(visit, { email, role, deliver }) {
      const invited = orFail(await invite({ email, role: role === 'none' ? null : role, deliver }, actorOf(visit)));
      if (isRefused(invited)) return invited;
      if (invited.token === undefined) return goTo(list, { notice: 'invitation_sent' });
      const { frame } = visit;
      return shown(
        <AreaPage frame={frame} place={place} title={words.linkTitle} above={aboveOf(frame)} scripts={['copy.js']}>
          <p class="intro">{words.linkLead(email)}</p>
          <Secret id="link" label={words.link} value={`${baseUrl}/invitation#${invited.token}`} />
          <p>
            <a class="button" href={`${frame.root}${list}`}>
              {words.done}
            </a>
          </p>
        </AreaPage>,
      );
    },
    refusals: { email_taken: { field: 'email', text: words.taken } },
  });
}
