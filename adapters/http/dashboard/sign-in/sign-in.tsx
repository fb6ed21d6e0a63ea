import { z } from 'zod';
import type { Credentials } from '../../../../core/accounts/credentials.ts';
import type { Sessions } from '../../../../core/accounts/sessions.ts';
import type { SignIn } from '../../../../core/accounts/sign-in.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Form, PasswordField, TextField } from '../../ui/form.tsx';
import { sandboxWords } from '../../ui/words.ts';
import { goTo, parseOwnPath, shown } from '../kit/answer.ts';
import { codeText, emailAddress, linkToken, passwordText } from '../kit/fields.ts';
import { click, form } from '../kit/form.ts';
import { mailedWords } from '../kit/mailed.ts';
import { type DashboardTools, page, type Visit } from '../kit/page.ts';
import { arrive, LinkField, Mailed, NewPassword, passwordRefusals } from './new-account.tsx';
import { words } from './words.ts';

/** Signing in with a password, then with a second factor if there is one, and signing out. */
export function signInPages(
  tools: DashboardTools,
  { signIn, signInWithCode }: SignIn,
  { signOut }: Pick<Sessions, 'signOut'>,
): Endpoint[] {
  const { cookies } = tools;
  return [
    ...form(tools, {
      id: 'sign-in',
      path: '/sign-in',
      audience: 'guest',
      fields: z.object({ email: emailAddress, password: passwordText }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={words.title}>
          {frame.look?.isSandbox && (
            <p class="choices">
              <ButtonLink href={`${frame.root}sandbox`} text={sandboxWords.open} look="primary" />
            </p>
          )}
          <Form state={state} submit={words.submit} look={frame.look?.isSandbox ? 'small' : 'primary'}>
            <TextField name="email" type="email" label={words.email} autocomplete="username" />
            <PasswordField name="password" label={words.password} autocomplete="current-password" />
          </Form>
          <p class="aside">
            <a href={`${frame.root}forgot-password`}>{words.forgot}</a>
          </p>
          {!frame.look?.isSandbox && (
            <p class="aside">
              {words.noAccount} <a href={`${frame.root}sign-up`}>{words.create}</a>
            </p>
          )}
        </CardPage>
      ),
      async act(visit, who) {
        const result = await signIn(who, visit.from);
        if (isRefused(result)) return result;
        const wanted = nextOf(visit);
        if (result.kind === 'signed_in') return await arrive(tools, result, { wanted, notice: 'signed_in' });
        const next = wanted === undefined ? '' : `?next=${encodeURIComponent(`/${wanted}`)}`;
        return goTo(`sign-in/code${next}`, { challenge: result.challenge });
      },
      refusals: { wrong_credentials: { text: words.wrong } },
    }),

    ...form(tools, {
      id: 'sign-in-code',
      path: '/sign-in/code',
      audience: 'guest',
      fields: z.object({ code: codeText }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={words.code.title}>
          <p>{words.code.lead}</p>
          <Form state={state} submit={words.code.submit} cancel={`${frame.root}sign-in`}>
            <TextField
              name="code"
              label={words.code.label}
              hint={words.code.hint}
              autocomplete="one-time-code"
              isCode
            />
          </Form>
        </CardPage>
      ),
      async act(visit, { code }) {
        const challenge = cookies.get(visit.ctx, 'challenge') ?? '';
        const result = await signInWithCode({ challenge, code }, visit.from);
        if (isRefused(result)) return result;
        return await arrive(tools, result, { wanted: nextOf(visit), notice: 'signed_in', challenge: '' });
      },
      refusals: {
        wrong_code: { field: 'code', text: words.code.wrong },
        link_invalid: { text: words.code.expired },
      },
    }),

    page(tools, {
      id: 'sign-in-done',
      path: '/sign-in/done',
      audience: 'user',
      show: async ({ frame }) =>
        shown(
          <CardPage frame={frame} title={words.done.title}>
            <p>{words.done.lead}</p>
          </CardPage>,
        ),
    }),

    click(tools, {
      id: 'sign-out',
      path: '/sign-out',
      audience: 'user',
      async act({ me }) {
        await signOut(me);
        return goTo('sign-in', { notice: 'signed_out', session: 'ended' });
      },
      refusals: {},
    }),
  ];
}

/** Returns the path that the visitor came for, from the first page of the site, if any. Never one of another site. */
function nextOf({ query: { next = '' } }: Visit): string | undefined {
  return (next.startsWith('/') && parseOwnPath(next)) || undefined;
}

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
            <TextField name="email" type="email" label={words.email} autocomplete="username" />
          </Form>
        </CardPage>
      ),
      async act({ frame, from }, { email }) {
        const result = await credentials.requestPasswordReset(email, from);
        if (isRefused(result)) return result;
        return shown(<Mailed frame={frame} words={mailedWords(tools, email, 'reset-password')} />);
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
            <LinkField />
            <NewPassword />
          </Form>
          <p class="aside">
            <a href={`${frame.root}forgot-password`}>{words.link.another}</a>
          </p>
        </CardPage>
      ),
      async act({ from }, { token, password }) {
        const result = await credentials.resetPassword(token, password, from);
        if (isRefused(result)) return result;
        return goTo('sign-in', { notice: 'password_set', session: 'ended', device: result.device });
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
            <LinkField />
          </Form>
          <p class="aside">
            <a href={`${frame.root}account/security/email`}>{words.link.another}</a>
          </p>
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
