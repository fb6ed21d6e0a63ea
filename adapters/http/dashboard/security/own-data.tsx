import { z } from 'zod';
import type { Credentials } from '../../../../core/accounts/credentials.ts';
import type { Naming } from '../../../../core/accounts/naming.ts';
import { longestName } from '../../../../core/accounts/user.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas, placeName } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Form, PasswordField, TextField } from '../../ui/form.tsx';
import type { Frame } from '../../ui/frame.ts';
import { goTo, shown } from '../kit/answer.ts';
import { emailAddress, fieldWords, passwordText, required } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { mailedWords } from '../kit/mailed.ts';
import type { DashboardTools, SignedInVisit } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { passwordRefusals } from '../sign-in/new-account.tsx';
import { words as signInWords } from '../sign-in/words.ts';
import { words } from './words.ts';

/** The entry of the navigation that the pages about the security of an account belong to, and its path. */
export const place = { area: 'account', at: 'security' } as const;
export const entry = areas.account.security;

/** Changes of name, e-mail address and password. */
export function ownDataPages(tools: DashboardTools, naming: Naming, credentials: Credentials): Endpoint[] {
  async function sendLink({ frame, me, from }: SignedInVisit, email: string) {
    const result = await credentials.requestEmailChange(me, email, from);
    return isRefused(result)
      ? result
      : shown(<Mailed frame={frame} sent={mailedWords(tools, email, 'change-email')} />);
  }
  return [
    ...form(tools, {
      id: 'own-name',
      path: '/account/security/name',
      audience: 'user',
      fields: z.object({ name: required(longestName, fieldWords.noName) }),
      initial: ({ me }) => ({ name: me.login.name }),
      edits: [],
      render: ({ frame }, state) => (
        <AreaPage frame={frame} place={place} isBelow title={words.name.change}>
          <Form state={state} submit={words.name.submit} cancel={`${frame.root}${entry}`}>
            <TextField name="name" label={words.name.label} hint={words.name.hint} autocomplete="name" />
          </Form>
        </AreaPage>
      ),
      async act({ me }, { name }) {
        const result = await naming.rename(me, name, me.login.name);
        return isRefused(result) ? result : goTo(entry, { notice: 'name_changed' });
      },
      refusals: { name_invalid: { field: 'name', text: words.name.invalid } },
    }),

    ...form(tools, {
      id: 'own-password',
      path: '/account/security/password',
      audience: 'user',
      isSensitive: true,
      fields: z.object({ password: passwordText }),
      render: ({ frame, me }, state) => (
        <AreaPage frame={frame} place={place} isBelow title={words.password.change}>
          <p>{words.endsOthers}</p>
          <Form state={state} submit={words.password.submit} cancel={`${frame.root}${entry}`}>
            {/* Password managers read it. */}
            <input type="text" name="username" value={me.login.email} autocomplete="username" hidden readOnly />
            <PasswordField
              name="password"
              label={words.password.label}
              hint={signInWords.newPasswordHint}
              autocomplete="new-password"
            />
          </Form>
        </AreaPage>
      ),
      async act({ me }, { password }) {
        const session = await credentials.changePassword(me, password);
        return isRefused(session) ? session : goTo(entry, { notice: 'password_changed', session });
      },
      refusals: { ...passwordRefusals, forbidden: asRefused() },
    }),

    ...form(tools, {
      id: 'own-email',
      path: '/account/security/email',
      audience: 'user',
      isSensitive: true,
      fields: z.object({ email: emailAddress }),
      render: ({ frame, me }, state) => (
        <AreaPage frame={frame} place={place} isBelow title={words.email.change}>
          <p>
            {words.email.present} <strong class="breakable">{me.login.email}</strong>. {words.email.ends}
          </p>
          <Form state={state} submit={words.email.send} cancel={`${frame.root}${entry}`}>
            <TextField
              name="email"
              type="email"
              label={words.email.label}
              hint={words.email.hint}
              autocomplete="email"
            />
          </Form>
        </AreaPage>
      ),
      act: (visit, { email }) => sendLink(visit, email),
      refusals: { forbidden: asRefused() },
    }),

    // The button for it on the first page sends this form at once. The page itself is only for those who must enter
    // their password again.
    ...form(tools, {
      id: 'own-email-verification',
      path: '/account/security/email/verification',
      audience: 'user',
      isSensitive: true,
      fields: z.object({}),
      render: ({ frame, me }, state) => (
        <AreaPage frame={frame} place={place} isBelow title={words.email.verifyTitle}>
          <p>
            <strong class="breakable">{me.login.email}</strong>
          </p>
          <p>
            {words.email.verifyLead} {words.email.ends}
          </p>
          <Form state={state} submit={words.email.send} cancel={`${frame.root}${entry}`} />
        </AreaPage>
      ),
      act: (visit) => sendLink(visit, visit.me.login.email),
      refusals: { forbidden: asRefused() },
    }),
  ];
}

function Mailed({
  frame,
  sent: { title, text },
}: {
  readonly frame: Frame;
  readonly sent: ReturnType<typeof mailedWords>;
}) {
  return (
    <AreaPage frame={frame} place={place} isBelow title={title}>
      <p class="breakable">{text}</p>
      <p>{words.email.ends}</p>
      <p>
        <ButtonLink href={`${frame.root}${entry}`} text={placeName(place)} />
      </p>
    </AreaPage>
  );
}
