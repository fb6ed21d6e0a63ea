import { z } from 'zod';
import type { Credentials } from '../../../../core/accounts/credentials.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage } from '../../ui/area-page.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import { texts } from '../../ui/texts.ts';
import { goTo, shown } from '../answer.ts';
import { emailAddress, linkToken, passwordText } from '../fields.ts';
import { form } from '../form.ts';
import type { DashboardTools } from '../tools.ts';
import { LinkField } from './link-field.tsx';
import { NewPassword } from './new-account.tsx';
import { passwordRefusals } from './password-refusals.ts';

const { signIn: words } = texts;

/** A new password for somebody who forgot it, and the confirmation of a new e-mail address. Both by a link in a mail. */
export function recoveryPages(tools: DashboardTools, credentials: Credentials): Endpoint[] {
  return [
    ...form(tools, {
      id: 'forgot-password',
      path: '/forgot-password',
      audience: 'anybody',
      fields: z.object({ email: emailAddress }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={words.forgotten.title}>
          <p>{words.forgotten.lead}</p>
          <Form state={state} submit={words.forgotten.submit} cancel={`${frame.root}sign-in`}>
            <TextField state={state} name="email" type="email" label={words.email} autocomplete="username" />
          </Form>
        </CardPage>
      ),
      async act({ frame, from }, { email }) {
        const result = await credentials.requestPasswordReset(email, from);
        if (isRefused(result)) return result;
        return shown(
          <CardPage frame={frame} title={words.signUp.mailedTitle}>
            <p>{words.forgotten.mailed(email)}</p>
          </CardPage>,
        );
      },
      refusals: {},
    }),

    ...form(tools, {
      id: 'reset-password',
      path: '/reset-password',
      audience: 'anybody',
      fields: z.object({ token: linkToken, password: passwordText }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={words.reset.title} scripts={['link-token.js']}>
          <Form state={state} submit={words.reset.submit}>
            <LinkField state={state} />
            <NewPassword state={state} />
          </Form>
        </CardPage>
      ),
      async act(_visit, { token, password }) {
        const result = await credentials.resetPassword(token, password);
        return isRefused(result) ? result : goTo('sign-in', { notice: 'password_set', session: 'ended' });
      },
      refusals: { link_invalid: { field: 'token', text: words.link.invalid }, ...passwordRefusals },
    }),

    ...form(tools, {
      id: 'change-email',
      path: '/change-email',
      audience: 'anybody',
      fields: z.object({ token: linkToken }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={words.changeEmail.title} scripts={['link-token.js']}>
          <p>{words.changeEmail.lead}</p>
          <Form state={state} submit={words.changeEmail.submit}>
            <LinkField state={state} />
          </Form>
        </CardPage>
      ),
      async act(_visit, { token }) {
        const result = await credentials.confirmEmailChange(token);
        return isRefused(result) ? result : goTo('sign-in', { notice: 'email_changed', session: 'ended' });
      },
      refusals: {
        link_invalid: { field: 'token', text: words.link.invalid },
        email_taken: { text: words.emailTaken },
      },
    }),
  ];
}
