import { z } from 'zod';
import type { SignUp } from '../../../../core/accounts/sign-up.ts';
import { longestName } from '../../../../core/accounts/user.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage } from '../../ui/area-page.tsx';
import { Form, PasswordField, TextField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import { texts } from '../../ui/texts.ts';
import { goTo, shown } from '../answer.ts';
import { emailAddress, linkToken, passwordText, required } from '../fields.ts';
import { form } from '../form.ts';
import type { DashboardTools } from '../tools.ts';
import { LinkField } from './link-field.tsx';
import { passwordRefusals } from './password-refusals.ts';

const { signIn: words } = texts;
const name = required(longestName, texts.signIn.noName);
const linkRefused = { field: 'token', text: words.link.invalid };
const emailTaken = { text: words.emailTaken };

/** The ways to a new account: the first one, an invitation, and signing up. */
export function newAccountPages(tools: DashboardTools, signUp: SignUp, policy: 'open' | 'invite'): Endpoint[] {
  return [
    ...form(tools, {
      id: 'set-up',
      path: '/setup',
      audience: 'anybody',
      fields: z.object({ token: linkToken, name, email: emailAddress, password: passwordText }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={words.setUp.title} scripts={['link-token.js']}>
          <p>{words.setUp.lead}</p>
          <Form state={state} submit={words.setUp.submit}>
            <LinkField state={state} />
            <Applicant state={state} />
          </Form>
        </CardPage>
      ),
      async act({ from }, { token, ...applicant }) {
        const session = await signUp.setUp(token, applicant, from);
        return isRefused(session) ? session : goTo('account', { notice: 'set_up', session });
      },
      refusals: {
        link_invalid: { field: 'token', text: words.setUp.invalid },
        email_taken: emailTaken,
        ...passwordRefusals,
      },
    }),

    ...form(tools, {
      id: 'invitation',
      path: '/invitation',
      audience: 'anybody',
      fields: z.object({ token: linkToken, name, password: passwordText }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={words.invitation.title} scripts={['link-token.js']}>
          <p>{words.invitation.lead}</p>
          <Form state={state} submit={words.invitation.submit}>
            <LinkField state={state} />
            <TextField state={state} name="name" label={words.name} autocomplete="name" />
            <NewPassword state={state} />
          </Form>
        </CardPage>
      ),
      async act({ from }, { token, ...answer }) {
        const session = await signUp.acceptInvitation(token, answer, from);
        return isRefused(session) ? session : goTo('account', { notice: 'account_made', session });
      },
      refusals: { link_invalid: linkRefused, email_taken: emailTaken, ...passwordRefusals },
    }),

    ...form(tools, {
      id: 'sign-up',
      path: '/sign-up',
      audience: 'guest',
      fields: z.object({ name, email: emailAddress, password: passwordText }),
      render: ({ frame }, state) =>
        policy === 'open' ? (
          <CardPage frame={frame} title={words.signUp.title}>
            <Form state={state} submit={words.signUp.submit}>
              <Applicant state={state} />
            </Form>
            <p class="aside">
              {words.hasAccount} <a href={`${frame.root}sign-in`}>{words.submit}</a>
            </p>
          </CardPage>
        ) : (
          <CardPage frame={frame} title={words.signUp.closedTitle}>
            <p>{words.signUp.closed}</p>
            <p>
              <a class="button" href={`${frame.root}sign-in`}>
                {words.submit}
              </a>
            </p>
          </CardPage>
        ),
      async act({ frame, from }, applicant) {
        const result = await signUp.signUp(applicant, policy, from);
        if (isRefused(result)) return result;
        return shown(
          <CardPage frame={frame} title={words.signUp.mailedTitle}>
            <p>{words.signUp.mailed(applicant.email)}</p>
          </CardPage>,
        );
      },
      refusals: { sign_up_closed: { text: words.signUp.closed }, ...passwordRefusals },
    }),

    ...form(tools, {
      id: 'verify-email',
      path: '/verify-email',
      audience: 'anybody',
      fields: z.object({ token: linkToken, password: passwordText }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={words.verify.title} scripts={['link-token.js']}>
          <p>{words.verify.lead}</p>
          <Form state={state} submit={words.verify.submit}>
            <LinkField state={state} />
            <PasswordField state={state} name="password" label={words.password} autocomplete="current-password" />
          </Form>
        </CardPage>
      ),
      async act({ from }, answer) {
        const session = await signUp.verifyEmail(answer, from);
        return isRefused(session) ? session : goTo('account', { notice: 'account_made', session });
      },
      refusals: {
        link_invalid: linkRefused,
        email_taken: emailTaken,
        wrong_credentials: { field: 'password', text: words.verify.wrong },
      },
    }),
  ];
}

/** Name, address and password of somebody who makes an account. */
function Applicant({ state }: { readonly state: FormState }) {
  return (
    <>
      <TextField state={state} name="name" label={words.name} autocomplete="name" />
      <TextField state={state} name="email" type="email" label={words.email} autocomplete="username" />
      <NewPassword state={state} />
    </>
  );
}

export function NewPassword({ state }: { readonly state: FormState }) {
  return (
    <PasswordField
      state={state}
      name="password"
      label={words.newPassword}
      hint={words.newPasswordHint}
      autocomplete="new-password"
    />
  );
}
