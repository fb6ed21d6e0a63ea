import type { VNode } from 'preact';
import { z } from 'zod';
import type { PasswordFault } from '../../../../core/accounts/password.ts';
import type { SignUp } from '../../../../core/accounts/sign-up.ts';
import type { SignUpPolicy } from '../../../../core/accounts/sign-up-policy.ts';
import type { NewSession } from '../../../../core/accounts/signed-in.ts';
import { longestName } from '../../../../core/accounts/user.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Form, PasswordField, TextField } from '../../ui/form.tsx';
import type { Frame } from '../../ui/frame.ts';
import type { NoticeName } from '../../ui/notices.ts';
import { sandboxWords } from '../../ui/words.ts';
import { type Answer, goTo, shown } from '../kit/answer.ts';
import { emailAddress, fieldWords, linkToken, optional, passwordText, required } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { mailedWords } from '../kit/mailed.ts';
import type { DashboardTools } from '../kit/page.ts';
import type { RefusalMessage } from '../kit/refusal-messages.ts';
import { words } from './words.ts';

const { passwords } = words;

/** Refusals of a new password, beside its field. */
export const passwordRefusals = {
  password_too_short: { field: 'password', text: passwords.password_too_short },
  password_too_long: { field: 'password', text: passwords.password_too_long },
  password_personal: { field: 'password', text: passwords.password_personal },
  password_common: { field: 'password', text: passwords.password_common },
} as const satisfies Record<PasswordFault, RefusalMessage>;

const name = required(longestName, fieldWords.noName);
const linkRefused = { field: 'token', text: words.link.invalid };
const closed = { text: words.signUp.closed.closed.text };
const emailTaken = { text: words.emailTaken };

/** Begins the session, and leads to the wanted page, or to the person's home. */
export async function arrive(
  { homeOf }: DashboardTools,
  session: NewSession,
  {
    wanted,
    ...more
  }: { readonly wanted?: string | undefined; readonly notice: NoticeName; readonly challenge?: string },
): Promise<Answer> {
  return goTo(wanted ?? (await homeOf(session.login)), { session, ...more });
}

/** The ways to a new account: the first one, an invitation, and signing up. */
export function newAccountPages(tools: DashboardTools, signUp: SignUp, policy: () => SignUpPolicy): Endpoint[] {
  const closedWords = () => words.signUp.closed[policy() === 'invite' ? 'invite' : 'closed'];
  return [
    ...form(tools, {
      id: 'set-up',
      path: '/setup',
      audience: 'anybody',
      fields: z.object({ token: linkToken, email: emailAddress, password: passwordText, name: optional(longestName) }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={words.setUp.title} scripts={['link-token.js']}>
          <p>{words.setUp.lead}</p>
          <Form state={state} submit={words.setUp.submit}>
            <LinkField />
            <AddressField />
            <NewPassword />
            <TextField name="name" label={words.optionalName} autocomplete="name" />
          </Form>
        </CardPage>
      ),
      async act({ from }, { token, ...applicant }) {
        const [atAddress = ''] = applicant.email.split('@');
        const named = { ...applicant, name: applicant.name || atAddress };
        const session = await signUp.setUp(token, named, from);
        return isRefused(session) ? session : await arrive(tools, session, { notice: 'set_up' });
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
            <LinkField />
            <TextField name="name" label={words.name} autocomplete="name" />
            <NewPassword />
          </Form>
        </CardPage>
      ),
      async act({ from }, { token, ...answer }) {
        const session = await signUp.acceptInvitation(token, answer, from);
        return isRefused(session) ? session : await arrive(tools, session, { notice: 'account_made' });
      },
      refusals: { link_invalid: linkRefused, email_taken: emailTaken, sign_up_closed: closed, ...passwordRefusals },
    }),

    ...form(tools, {
      id: 'sign-up',
      path: '/sign-up',
      audience: 'guest',
      fields: z.object({ name, email: emailAddress, password: passwordText }),
      render: ({ frame }, state) =>
        policy() === 'open' ? (
          <CardPage frame={frame} title={words.signUp.title}>
            <Form state={state} submit={words.signUp.submit}>
              <Applicant />
            </Form>
            <p class="aside">
              {words.hasAccount} <a href={`${frame.root}sign-in`}>{words.submit}</a>
            </p>
          </CardPage>
        ) : (
          <CardPage frame={frame} title={closedWords().title}>
            <p>{closedWords().text}</p>
            <p>
              {frame.look?.isSandbox ? (
                <ButtonLink href={`${frame.root}sandbox`} text={sandboxWords.open} look="primary" />
              ) : (
                <ButtonLink href={`${frame.root}sign-in`} text={words.submit} />
              )}
            </p>
          </CardPage>
        ),
      async act({ frame, from }, applicant) {
        const result = await signUp.signUp(applicant, from);
        if (isRefused(result)) return result;
        return shown(<Mailed frame={frame} words={mailedWords(tools, applicant.email, 'verify-email')} />);
      },
      refusals: { sign_up_closed: { text: () => closedWords().text }, ...passwordRefusals },
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
            <LinkField />
            <PasswordField name="password" label={words.password} autocomplete="current-password" />
          </Form>
          <p class="aside">
            <a href={`${frame.root}sign-up`}>{words.link.another}</a>
          </p>
        </CardPage>
      ),
      async act({ from }, answer) {
        const session = await signUp.verifyEmail(answer, from);
        return isRefused(session) ? session : await arrive(tools, session, { notice: 'account_made' });
      },
      refusals: {
        link_invalid: linkRefused,
        email_taken: emailTaken,
        wrong_credentials: { field: 'password', text: words.verify.wrong },
        sign_up_closed: closed,
      },
    }),
  ];
}

/** Name, address and password of somebody who makes an account. */
function Applicant(): VNode {
  return (
    <>
      <TextField name="name" label={words.name} autocomplete="name" />
      <AddressField />
      <NewPassword />
    </>
  );
}

function AddressField(): VNode {
  return <TextField name="email" type="email" label={words.email} autocomplete="username" />;
}

export function NewPassword(): VNode {
  return (
    <PasswordField name="password" label={words.newPassword} hint={words.newPasswordHint} autocomplete="new-password" />
  );
}

/** The token of a link. The script `link-token.js` fills it in and hides it. */
export function LinkField(): VNode {
  const { label, hint } = words.link;
  return <TextField name="token" label={label} hint={hint} isCode />;
}

/** The page after a mail was asked for. */
export function Mailed({
  frame,
  words: { title, text },
}: {
  readonly frame: Frame;
  readonly words: ReturnType<typeof mailedWords>;
}): VNode {
  return (
    <CardPage frame={frame} title={title}>
      <p>{text}</p>
    </CardPage>
  );
}
