import { event } from '../events/event.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { choosePassword } from './choose-password.ts';
import { addLink, findLink } from './new-link.ts';
import { isUsable } from './one-time-link.ts';
import type { PasswordFault } from './password.ts';
import { countAttempt } from './sign-in-limits.ts';
import type { SignInPorts } from './sign-in-ports.ts';
import { actorOf, type From, type NewSession, needsConfirmation, renewSession, type SignedIn } from './signed-in.ts';

type TooMany = Refused<'too_many_attempts'>;
type Spent = Refused<'link_invalid'>;
type Confirm = Refused<'confirmation_needed'>;

/** Passwords and e-mail addresses of existing accounts. Each change ends the user's other sessions and links. */
export interface Credentials {
  changePassword(me: SignedIn, password: string): Promise<NewSession | Confirm | Refused<PasswordFault | 'signed_out'>>;
  /** Sends a letter with a link, if the address has an account. The result does not tell whether it has. */
  requestPasswordReset(email: string, from: From): Promise<'letter_sent' | TooMany>;
  /** Ends all sessions of the user. Signs nobody in, because a second factor may be needed. */
  resetPassword(token: string, password: string): Promise<'password_set' | Spent | Refused<PasswordFault>>;
  /**
   * Sends a letter with a link to the new address. If that address has an account, the letter says so, and the result is
   * the same. With the present address, the link verifies it.
   */
  requestEmailChange(me: SignedIn, email: string, from: From): Promise<'letter_sent' | Confirm | TooMany>;
  /** Ends all sessions of the user, and tells the old address. */
  confirmEmailChange(token: string): Promise<'email_changed' | Spent | Refused<'email_taken'>>;
}

export function createCredentials(ports: SignInPorts): Credentials {
  const { logins, links, letters, clock } = ports;
  const spent = () => refuse('link_invalid', 'The link was used, or it has expired. Ask for a new one.');
  return {
    async changePassword(me, password) {
      const unconfirmed = needsConfirmation(me.session, clock.now());
      if (unconfirmed) return unconfirmed;
      const passwordHash = await choosePassword(ports, password, me.login);
      if (isRefused(passwordHash)) return passwordHash;
      const login = await logins.change(me.login.id, (before) => {
        if (before.generation !== me.session.generation) return refuse('signed_out');
        const told = event('user.password_set', before.email, actorOf(me), clock.now(), { by: 'user' });
        return { after: { ...before, passwordHash, generation: before.generation + 1 }, event: told };
      });
      if (login === undefined || isRefused(login)) return refuse('signed_out');
      await letters.send('password-changed', login.email, { name: login.name });
      return await renewSession(ports, me, login);
    },

    async requestPasswordReset(email, from) {
      const address = email.toLowerCase();
      const limited = await countAttempt(ports, 'letter', { address: from.address, account: address });
      if (limited) return limited;
      // Both cases do the same work, so that they take the same time. A link for nobody cannot be used.
      const login = await logins.findByEmail(address);
      const token = await addLink(ports, { kind: 'reset-password' }, login);
      if (login) await letters.send('reset-password', address, { name: login.name, token });
      else await letters.send('no-account', address, {});
      return 'letter_sent';
    },

    async resetPassword(token, password) {
      const found = await findLink(ports, 'reset-password', token);
      const known = found?.of && (await logins.find(found.of.userId));
      if (!found || !known || !isUsable(found, known, clock.now())) return spent();
      const passwordHash = await choosePassword(ports, password, known);
      if (isRefused(passwordHash)) return passwordHash;
      const login = await links.use(found.digest, ({ link, login: before }) => {
        const now = clock.now();
        if (before === undefined || !isUsable(link, before, now)) return spent();
        const told = event('user.password_set', before.email, actorOf({ login: before }), now, { by: 'reset' });
        // The link came by mail, so it also proves the address.
        const change = { ...before, passwordHash, emailVerifiedAt: now, generation: before.generation + 1 };
        return { change, event: told };
      });
      if (login === undefined || isRefused(login)) return spent();
      await letters.send('password-changed', login.email, { name: login.name });
      return 'password_set';
    },

    async requestEmailChange(me, email, from) {
      const unconfirmed = needsConfirmation(me.session, clock.now());
      if (unconfirmed) return unconfirmed;
      const address = email.toLowerCase();
      const limited = await countAttempt(ports, 'letter', { address: from.address, account: address });
      if (limited) return limited;
      const { name } = me.login;
      const other = await logins.findByEmail(address);
      const token = await addLink(ports, { kind: 'change-email', email: address }, me.login);
      if (other && other.id !== me.login.id) await letters.send('already-registered', address, { name: other.name });
      else await letters.send('change-email', address, { name, token });
      return 'letter_sent';
    },

    async confirmEmailChange(token) {
      const found = await findLink(ports, 'change-email', token);
      const known = found?.of && (await logins.find(found.of.userId));
      if (!found || !known) return spent();
      const { email } = found.purpose;
      const login = await links.use(found.digest, ({ link, login: before }) => {
        const now = clock.now();
        if (before === undefined || !isUsable(link, before, now)) return spent();
        const told = event('user.email_changed', before.email, actorOf({ login: before }), now, { to: email });
        return { change: { ...before, email, emailVerifiedAt: now, generation: before.generation + 1 }, event: told };
      });
      if (login === undefined) return spent();
      if (isRefused(login)) return login;
      if (known.email !== email) await letters.send('email-changed', known.email, { name: login.name, email });
      return 'email_changed';
    },
  };
}
