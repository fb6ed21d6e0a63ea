import { event } from '../events/event.ts';
import type { News } from '../ports/change.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { choosePassword } from './choose-password.ts';
import { rememberBrowser } from './known-browser.ts';
import { lettersAbout } from './letters-about.ts';
import type { Login } from './login.ts';
import { addLink, findLink } from './new-link.ts';
import { isUsable } from './one-time-link.ts';
import type { PasswordFault } from './password.ts';
import { countAttempt } from './sign-in-limits.ts';
import type { SignInPorts } from './sign-in-ports.ts';
import { bySelf, type From, type NewSession, refusingCredentials, renewSession, type SignedIn } from './signed-in.ts';

type TooMany = Refused<'too_many_attempts'>;
type Spent = Refused<'link_invalid'>;
type Confirm = Refused<'confirmation_needed' | 'forbidden'>;

/** Passwords and e-mail addresses of existing accounts. Each change ends the user's other sessions and links. */
export interface Credentials {
  changePassword(me: SignedIn, password: string): Promise<NewSession | Confirm | Refused<PasswordFault | 'signed_out'>>;
  /** Sends a letter: a link to reset the password, or the news that no account uses the address. The result is the same. */
  requestPasswordReset(email: string, from: From): Promise<'letter_sent' | TooMany>;
  /**
   * Ends all sessions of the user. Signs nobody in, because a second factor may be needed. Returns the token that the
   * browser keeps and sends at the sign-in: the account knows the browser from then on, and guesses of others do not
   * slow it down.
   */
  resetPassword(
    token: string,
    password: string,
    from: From,
  ): Promise<{ readonly device: string } | Spent | Refused<PasswordFault>>;
  /**
   * Sends a letter with a link to the new address. If that address has an account, the letter says so, and the result is
   * the same. For the user's current address, the link verifies it.
   */
  requestEmailChange(me: SignedIn, email: string, from: From): Promise<'letter_sent' | Confirm | TooMany>;
  /** Ends all sessions of the user, and sends a mail to the old address. */
  confirmEmailChange(token: string): Promise<'email_changed' | Spent | Refused<'email_taken'>>;
}

export function createCredentials(ports: SignInPorts): Credentials {
  const { logins, links, clock } = ports;
  const spent = () => refuse('link_invalid', 'The link was used, or it has expired. Ask for a new one.');
  const newPassword = (login: Login): News => ({
    letters: lettersAbout(ports, login, { kind: 'password-changed', name: login.name }),
    notices: [{ userId: login.id, notice: { kind: 'password_changed' }, createdAt: clock.now() }],
  });

  return {
    async changePassword(me, password) {
      const refused = refusingCredentials(me, clock.now());
      if (refused) return refused;
      const passwordHash = await choosePassword(ports, password, me.login, me.session.address);
      if (isRefused(passwordHash)) return passwordHash;
      const login = await logins.change(me.login.id, (before) => {
        if (before.generation !== me.session.generation) return refuse('signed_out');
        const told = event('user.password_set', before.email, bySelf(me), clock.now(), { by: 'user' });
        const after = { ...before, passwordHash, generation: before.generation + 1 };
        return { after, event: told, ...newPassword(before) };
      });
      if (login === undefined || isRefused(login)) return refuse('signed_out');
      return await renewSession(ports, me, login);
    },

    async requestPasswordReset(email, from) {
      const address = email.toLowerCase();
      const limited = await countAttempt(ports, 'letter', { address: from.address, account: address });
      if (limited) return limited;
      // Both cases do the same work, so that they take the same time. A link for nobody cannot be used.
      const login = await logins.findByEmail(address);
      await addLink(ports, { kind: 'reset-password' }, login, (token) => ({
        letters: login
          ? lettersAbout(ports, login, { kind: 'reset-password', name: login.name, token })
          : lettersAbout(ports, { email: address }, { kind: 'no-account' }),
      }));
      return 'letter_sent';
    },

    async resetPassword(token, password, from) {
      const found = await findLink(ports, 'reset-password', token);
      const known = found?.of && (await logins.find(found.of.userId));
      if (!found || !known || !isUsable(found, known, clock.now())) return spent();
      const passwordHash = await choosePassword(ports, password, known, from.address);
      if (isRefused(passwordHash)) return passwordHash;
      const login = await links.use(found.digest, ({ link, login: before }) => {
        const now = clock.now();
        if (before === undefined || !isUsable(link, before, now)) return spent();
        const told = event('user.password_set', before.email, bySelf({ login: before }), now, { by: 'reset' });
        // The link came by mail, so it also proves the address.
        const change = { ...before, passwordHash, emailVerifiedAt: now, generation: before.generation + 1 };
        return { change, event: told, ...newPassword(before) };
      });
      if (login === undefined || isRefused(login)) return spent();
      return { device: await rememberBrowser(ports, login.id, from.device) };
    },

    async requestEmailChange(me, email, from) {
      const refused = refusingCredentials(me, clock.now());
      if (refused) return refused;
      const address = email.toLowerCase();
      const limited = await countAttempt(ports, 'letter', { address: from.address, account: address });
      if (limited) return limited;
      const { name } = me.login;
      const other = await logins.findByEmail(address);
      await addLink(ports, { kind: 'change-email', email: address }, me.login, (token) => ({
        letters:
          other && other.id !== me.login.id
            ? lettersAbout(ports, other, { kind: 'already-registered', name: other.name })
            : lettersAbout(ports, { name, email: address }, { kind: 'change-email', name, token }),
      }));
      return 'letter_sent';
    },

    async confirmEmailChange(token) {
      const found = await findLink(ports, 'change-email', token);
      if (found === undefined) return spent();
      const { email } = found.purpose;
      const login = await links.use(found.digest, ({ link, login: before }) => {
        const now = clock.now();
        if (before === undefined || !isUsable(link, before, now)) return spent();
        const told = event('user.email_changed', before.email, bySelf({ login: before }), now, { to: email });
        const change = { ...before, email, emailVerifiedAt: now, generation: before.generation + 1 };
        if (before.email === email) return { change, event: told };
        const letters = lettersAbout(ports, before, { kind: 'email-changed', name: before.name, email });
        const notice = { kind: 'email_changed', email } as const;
        return { change, event: told, letters, notices: [{ userId: before.id, notice, createdAt: now }] };
      });
      if (login === undefined) return spent();
      return isRefused(login) ? login : 'email_changed';
    },
  };
}
