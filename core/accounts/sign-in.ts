import { event } from '../events/event.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { knownBrowser } from './known-browser.ts';
import type { Login } from './login.ts';
import { addLink, findLink } from './new-link.ts';
import { isUsable } from './one-time-link.ts';
import { type Password, toPassword } from './password.ts';
import { isAppCode, useCode } from './second-factor.ts';
import { countAppCode, countAttempt, countPassword } from './sign-in-limits.ts';
import type { SignInPorts } from './sign-in-ports.ts';
import { bySelf, type From, type NewSession, startSession } from './signed-in.ts';

type TooMany = Refused<'too_many_attempts'>;

/** Signing in, in one or two steps. */
export interface SignIn {
  /**
   * Refuses an unknown address, a wrong password and a suspended user alike, and after the same time. If the user has a
   * second factor, returns the challenge for `signInWithCode`.
   */
  signIn(
    who: { readonly email: string; readonly password: string },
    from: From,
  ): Promise<
    NewSession | { readonly kind: 'second_factor'; readonly challenge: string } | Refused<'wrong_credentials'> | TooMany
  >;
  /** Accepts a code of the app, or a recovery code. After a wrong code, the challenge stays valid. */
  signInWithCode(
    answer: { readonly challenge: string; readonly code: string },
    from: From,
  ): Promise<NewSession | Refused<'wrong_code' | 'link_invalid'> | TooMany>;
}

export function createSignIn(ports: SignInPorts): SignIn {
  const { logins, links, hasher, clock } = ports;
  const wrong = () => refuse('wrong_credentials', 'E-mail address or password is wrong.');

  /** Stores a hash with the parameters of new hashes. */
  async function rehash(login: Login, password: Password, address: string): Promise<void> {
    const passwordHash = await hasher.hash(password, address);
    const told = event('user.password_rehashed', login.email, bySelf({ login }), clock.now());
    await logins.change(login.id, (before) =>
      before.passwordHash === login.passwordHash
        ? { after: { ...before, passwordHash }, event: told }
        : { after: before },
    );
  }

  return {
    async signIn({ email, password: text }, from) {
      const address = email.toLowerCase();
      const limited = await countAttempt(ports, 'password', { address: from.address, account: address });
      if (limited) return limited;
      const slowed = await countPassword(ports, address, await knownBrowser(ports, address, from.device));
      if (slowed) return slowed;
      const password = toPassword(text);
      if (password === undefined) return wrong();
      const found = await logins.findByEmail(address);
      const match = await hasher.verify(found?.passwordHash ?? undefined, password, from.address);
      if (found === undefined || match === 'wrong' || found.suspendedAt !== null) return wrong();

      if (match === 'outdated') await rehash(found, password, from.address);
      if (found.secondFactor) {
        return { kind: 'second_factor', challenge: await addLink(ports, { kind: 'second-factor' }, found) };
      }
      const login = await logins.change(found.id, (before) => {
        // The password may have been changed, or the user suspended, while it was verified.
        if (before.generation !== found.generation || before.suspendedAt !== null) return wrong();
        return { after: before, event: event('user.signed_in', before.email, bySelf({ login: before }), clock.now()) };
      });
      if (login === undefined || isRefused(login)) return wrong();
      return await startSession(ports, login, from, { isFirst: false });
    },

    async signInWithCode({ challenge, code }, from) {
      const link = await findLink(ports, 'second-factor', challenge);
      if (!link?.of) return refuse('link_invalid');
      const { userId } = link.of;
      const limited =
        (await countAttempt(ports, 'code', { address: from.address, account: String(userId) })) ??
        (isAppCode(code) ? await countAppCode(ports, userId) : undefined);
      if (limited) return limited;
      const login = await links.use(link.digest, ({ link, login }) => {
        const now = clock.now();
        if (!login?.secondFactor || !isUsable(link, login, now)) return refuse('link_invalid');
        const secondFactor = useCode(login.secondFactor, code, ports, now);
        if (secondFactor === undefined) return refuse('wrong_code', 'The code is wrong, or it was used before.');
        const data = { second_factor: isAppCode(code) ? 'app' : 'recovery code' };
        const told = event('user.signed_in', login.email, bySelf({ login }), now, data);
        return { change: { ...login, secondFactor }, event: told };
      });
      if (login === undefined) return refuse('link_invalid');
      if (!isRefused(login)) return await startSession(ports, login, from, { isFirst: false });
      return login.reason === 'wrong_code' ? refuse('wrong_code', login.detail) : refuse('link_invalid');
    },
  };
}
