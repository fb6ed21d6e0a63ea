import { event } from '../events/event.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { choosePassword, judgePassword } from './choose-password.ts';
import { lettersAbout } from './letters-about.ts';
import type { Login, NewLogin } from './login.ts';
import { addLink, findLink } from './new-link.ts';
import { isUsable } from './one-time-link.ts';
import { type PasswordFault, toPassword } from './password.ts';
import { type Actor, byOf, needing } from './role.ts';
import { countAttempt } from './sign-in-limits.ts';
import type { SignInPorts } from './sign-in-ports.ts';
import { type From, type NewSession, startSession } from './signed-in.ts';

type TooMany = Refused<'too_many_attempts'>;
type Spent = Refused<'link_invalid'>;

/** A person who chooses a password for a new account. `name` and `email` are checked where they come in. */
export interface Applicant {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** New accounts. */
export interface SignUp {
  /**
   * Sends a letter with the link for `verifyEmail`. If the address has an account, the letter says so, and the result
   * is the same.
   */
  signUp(
    applicant: Applicant,
    from: From,
  ): Promise<'letter_sent' | Refused<PasswordFault | 'sign_up_closed'> | TooMany>;
  /**
   * Makes the account and signs the person in. Needs the password that was chosen at sign-up: otherwise somebody who
   * only follows a link that they did not ask for would open an account whose password a stranger knows.
   */
  verifyEmail(
    answer: { readonly token: string; readonly password: string },
    from: From,
  ): Promise<NewSession | Refused<'wrong_credentials' | 'email_taken' | 'sign_up_closed'> | Spent | TooMany>;

  /** Returns the token for `setUp`, or `undefined` if there is an administrator. */
  setUpToken(): Promise<string | undefined>;
  /** Makes the first administrator. Their e-mail address is not verified by that. */
  setUp(
    token: string,
    applicant: Applicant,
    from: From,
  ): Promise<NewSession | Refused<PasswordFault | 'email_taken'> | Spent>;

  /**
   * Makes a link with which somebody opens an account at this address. With `letter`, the link is sent there; with
   * `return`, the caller hands it over, and using it does not verify the address. Needs `users:manage`, and `roles:set`
   * if there is a role.
   */
  invite(
    invited: { readonly email: string; readonly role: Login['role']; readonly deliver: 'letter' | 'return' },
    actor: Actor,
  ): Promise<{ readonly token: string | undefined } | Refused<'forbidden' | 'email_taken' | 'sign_up_closed'>>;
  acceptInvitation(
    token: string,
    answer: { readonly name: string; readonly password: string },
    from: From,
  ): Promise<NewSession | Refused<PasswordFault | 'email_taken' | 'sign_up_closed'> | Spent>;
}

export function createSignUp(ports: SignInPorts): SignUp {
  const { logins, links, hasher, clock, signUpPolicy } = ports;
  const closed = () =>
    signUpPolicy() === 'closed' ? refuse('sign_up_closed', 'No new accounts are made on this site.') : undefined;
  const spent = () => refuse('link_invalid', 'The link was used, or it has expired. Ask for a new one.');

  async function entered<R extends string>(login: Login | Refused<R> | undefined, from: From) {
    if (login === undefined) return spent();
    return isRefused(login) ? login : await startSession(ports, login, from, { isFirst: true });
  }

  return {
    async signUp({ name, email, password }, from) {
      if (signUpPolicy() !== 'open') return refuse('sign_up_closed', 'New accounts need an invitation.');
      const address = email.toLowerCase();
      // A password that a rule refuses sends no letter, so it must not use up the letters.
      const chosen = await judgePassword(ports, password, { name, email: address });
      if (isRefused(chosen)) return chosen;
      const limited = await countAttempt(ports, 'letter', { address: from.address, account: address });
      if (limited) return limited;
      const passwordHash = await hasher.hash(chosen, from.address);
      // Both cases do the same work, so that they take the same time. A link for a taken address cannot be used.
      const owner = await logins.findByEmail(address);
      const purpose = { kind: 'verify-email', name, email: address, passwordHash } as const;
      await addLink(ports, purpose, undefined, (token) => ({
        letters: owner
          ? lettersAbout(ports, owner, { kind: 'already-registered', name: owner.name })
          : lettersAbout(ports, { name, email: address }, { kind: 'verify-email', name, token }),
      }));
      return 'letter_sent';
    },

    async verifyEmail({ token, password: text }, from) {
      const refused = closed();
      if (refused) return refused;
      const found = await findLink(ports, 'verify-email', token);
      if (found === undefined) return spent();
      const { name, email, passwordHash } = found.purpose;
      const limited = await countAttempt(ports, 'password', { address: from.address, account: email });
      if (limited) return limited;
      const password = toPassword(text);
      if (password === undefined || (await hasher.verify(passwordHash, password, from.address)) === 'wrong') {
        return refuse('wrong_credentials', 'This is not the password that was chosen at sign-up.');
      }
      const login = await links.use(found.digest, ({ link }) => {
        const now = clock.now();
        if (!isUsable(link, undefined, now)) return spent();
        return added({ name, email, role: null, passwordHash, emailVerifiedAt: now }, 'sign-up', now);
      });
      return await entered(login, from);
    },

    async setUpToken() {
      return (await logins.hasAdministrator()) ? undefined : await addLink(ports, { kind: 'set-up' });
    },

    async setUp(token, { name, email, password }, from) {
      const found = await findLink(ports, 'set-up', token);
      if (found === undefined) return spent();
      const address = email.toLowerCase();
      const passwordHash = await choosePassword(ports, password, { name, email: address }, from.address);
      if (isRefused(passwordHash)) return passwordHash;
      const login = await links.use(found.digest, ({ link, hasAdministrator }) => {
        const now = clock.now();
        if (hasAdministrator || !isUsable(link, undefined, now)) return spent();
        return added({ name, email: address, role: 'admin', passwordHash, emailVerifiedAt: null }, 'set-up', now);
      });
      return await entered(login, from);
    },

    async invite({ email, role, deliver }, actor) {
      const refused =
        needing(actor, 'users:manage') ?? (role === null ? undefined : needing(actor, 'roles:set')) ?? closed();
      if (refused) return refused;
      const address = email.toLowerCase();
      const login = await logins.findByEmail(address);
      if (login && login.passwordHash !== null) {
        return refuse('email_taken', `A user with the e-mail address ${address} already exists.`);
      }
      const isMailed = deliver === 'letter';
      const told = event('user.invited', address, byOf(actor), clock.now(), { role, is_mailed: isMailed });
      const token = await addLink(ports, { kind: 'invite', email: address, role, isMailed }, login, (token) => ({
        event: told,
        letters: isMailed ? lettersAbout(ports, { email: address }, { kind: 'invite', token }) : [],
      }));
      return { token: isMailed ? undefined : token };
    },

    async acceptInvitation(token, { name, password }, from) {
      const refused = closed();
      if (refused) return refused;
      const found = await findLink(ports, 'invite', token);
      if (found === undefined) return spent();
      const { email, role, isMailed } = found.purpose;
      const passwordHash = await choosePassword(ports, password, { name, email }, from.address);
      if (isRefused(passwordHash)) return passwordHash;
      const login = await links.use(found.digest, ({ link, login: before }) => {
        const now = clock.now();
        if (!isUsable(link, before, now)) return spent();
        const emailVerifiedAt = isMailed ? now : null;
        if (before === undefined) return added({ name, email, role, passwordHash, emailVerifiedAt }, 'invitation', now);
        // An operator added this user, who has not chosen a password before. An invitation never takes a role away.
        const change = { ...before, role: role ?? before.role, passwordHash, emailVerifiedAt };
        const told = event('user.password_set', email, { actor: email }, now, { by: 'invitation', role: change.role });
        return { change: { ...change, generation: before.generation + 1 }, event: told };
      });
      return await entered(login, from);
    },
  };
}

/** New accounts have the lowest plan. */
function added(login: Omit<NewLogin, 'tier' | 'createdAt'>, how: string, now: number) {
  const told = event('user.added', login.email, { actor: login.email }, now, { tier: 'free', how, role: login.role });
  return { add: { ...login, tier: 'free', createdAt: now }, event: told } as const;
}
