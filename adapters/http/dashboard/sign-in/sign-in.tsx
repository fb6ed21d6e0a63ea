import { z } from 'zod';
import type { Sessions } from '../../../../core/accounts/sessions.ts';
import type { SignIn } from '../../../../core/accounts/sign-in.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage } from '../../ui/area-page.tsx';
import { Form, PasswordField, TextField } from '../../ui/form.tsx';
import { texts } from '../../ui/texts.ts';
import { goTo } from '../answer.ts';
import { codeText, emailAddress, passwordText } from '../fields.ts';
import { click, form } from '../form.ts';
import type { DashboardTools } from '../tools.ts';
import { nextOf } from './next.ts';

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
        <CardPage frame={frame} title={texts.signIn.title}>
          <Form state={state} submit={texts.signIn.submit}>
            <TextField state={state} name="email" type="email" label={texts.signIn.email} autocomplete="username" />
            <PasswordField
              state={state}
              name="password"
              label={texts.signIn.password}
              autocomplete="current-password"
            />
          </Form>
          <p class="aside">
            <a href={`${frame.root}forgot-password`}>{texts.signIn.forgot}</a>
          </p>
          <p class="aside">
            {texts.signIn.noAccount} <a href={`${frame.root}sign-up`}>{texts.signIn.create}</a>
          </p>
        </CardPage>
      ),
      async act(visit, who) {
        const result = await signIn(who, visit.from);
        if (isRefused(result)) return result;
        const to = nextOf(visit);
        if (result.kind === 'signed_in') return goTo(to, { notice: 'signed_in', session: result });
        const next = to === 'account' ? '' : `?next=${encodeURIComponent(`/${to}`)}`;
        return goTo(`sign-in/code${next}`, { challenge: result.challenge });
      },
      refusals: { wrong_credentials: { text: texts.signIn.wrong } },
    }),

    ...form(tools, {
      id: 'sign-in-code',
      path: '/sign-in/code',
      audience: 'guest',
      fields: z.object({ code: codeText }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={texts.signIn.code.title}>
          <p>{texts.signIn.code.lead}</p>
          <Form state={state} submit={texts.signIn.code.submit} cancel={`${frame.root}sign-in`}>
            <TextField
              state={state}
              name="code"
              label={texts.signIn.code.label}
              hint={texts.signIn.code.hint}
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
        return goTo(nextOf(visit), { notice: 'signed_in', session: result, challenge: '' });
      },
      refusals: {
        wrong_code: { field: 'code', text: texts.signIn.code.wrong },
        link_invalid: { text: texts.signIn.code.expired },
      },
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
