import { event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { Ending } from '../ports/session-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import { looksLikeToken } from './one-time-link.ts';
import { toPassword } from './password.ts';
import { type Actor, byOf, needing } from './role.ts';
import { isAlive, lastSeenPrecision, type Session } from './session.ts';
import { countAttempt, countPassword } from './sign-in-limits.ts';
import type { SignInPorts } from './sign-in-ports.ts';
import { bySelf, type NewSession, renewSession, type SignedIn } from './signed-in.ts';

/** The sessions of signed-in people. */
export interface Sessions {
  /** Returns who is signed in with this token, or `undefined` if the session is not valid. Sets the time of its last use. */
  authenticate(token: string | undefined): Promise<SignedIn | undefined>;
  /** Checks the password again before sensitive changes. `address` is where the request comes from. */
  confirm(
    me: SignedIn,
    password: string,
    address: string,
  ): Promise<NewSession | Refused<'wrong_credentials' | 'too_many_attempts' | 'signed_out'>>;
  signOut(me: SignedIn): Promise<void>;
  /** Returns the valid sessions of a user, newest first. */
  list(userId: UserId): Promise<Session[]>;
  /**
   * Ends sessions of a user: one, all, or all but one. Returns how many. Only the user and administrators may do it:
   * see `sessions:end`.
   */
  end(userId: UserId, which: Ending, actor: Actor): Promise<number | Refused<'forbidden' | 'user_not_found'>>;
}

export function createSessions(ports: SignInPorts): Sessions {
  const { sessions, logins, hasher, secrets, clock } = ports;
  return {
    async authenticate(token) {
      if (token === undefined || !looksLikeToken(token)) return undefined;
      const found = await sessions.find(secrets.digest(token));
      const now = clock.now();
      if (found === undefined || !isAlive(found.session, found.login, now)) return undefined;
      const { id, lastSeenAt } = found.session;
      if (now - lastSeenAt >= lastSeenPrecision) await sessions.touch(id, now);
      return found;
    },

    async confirm(me, text, address) {
      const { email } = me.login;
      const limited =
        (await countAttempt(ports, 'password', { address, account: email })) ??
        (await countPassword(ports, email, `session ${me.session.id}`));
      if (limited) return limited;
      const password = toPassword(text);
      const login = await logins.find(me.login.id);
      const match = password && (await hasher.verify(login?.passwordHash ?? undefined, password, address));
      if (login === undefined || match === undefined || match === 'wrong') {
        return refuse('wrong_credentials', 'The password is wrong.');
      }
      if (!isAlive(me.session, login, clock.now())) return refuse('signed_out');
      return await renewSession(ports, me, login, clock.now());
    },

    async signOut(me) {
      const told = event('user.sessions_ended', me.login.email, bySelf(me), clock.now(), { which: 'own' });
      await sessions.end(me.login.id, { only: me.session.id }, told);
    },

    async list(userId) {
      const login = await logins.find(userId);
      const found = await sessions.list(userId);
      return login ? found.filter((session) => isAlive(session, login, clock.now())) : [];
    },

    async end(userId, which, actor) {
      const refused = needing(actor, 'sessions:end', userId);
      if (refused) return refused;
      const login = await logins.find(userId);
      if (login === undefined) return refuse('user_not_found', 'There is no such user.');
      const data = { which: which === 'all' ? 'all' : 'only' in which ? 'one' : 'others' };
      const told = event('user.sessions_ended', login.email, byOf(actor), clock.now(), data);
      return await sessions.end(userId, which, told);
    },
  };
}
