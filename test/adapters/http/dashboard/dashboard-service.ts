import type { CookieName } from '../../../../adapters/http/visitor/cookies.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { Role } from '../../../../core/accounts/role.ts';
import type { SignedIn } from '../../../../core/accounts/signed-in.ts';
import type { MailKind } from '../../../../core/mail/letter.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { codeAt, from, password as goodPassword, type SentLetter, tokenIn } from '../../../support/sign-in.ts';
import { createWebClient, type WebAnswer, type WebClient } from '../../../support/web-client.ts';
import { type AccountService, startAccountService } from '../account/account-service.ts';

/** A person with an account, and the browser in which they are signed in. */
export interface Person {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly browser: WebClient;
  /** Returns the person and the session in use. Throws if nobody is signed in. */
  me(): Promise<SignedIn>;
}

/** A person who needs a second factor to sign in. */
export interface SecuredPerson extends Person {
  /** Returns the code that the app shows now. Each one can be used once, so it moves the clock to the next code. */
  nextCode(): string;
  readonly recoveryCodes: readonly string[];
}

export interface DashboardService extends AccountService {
  /** A new browser without cookies. `headers` are sent with every request. */
  browser(headers?: Readonly<Record<string, string>>): WebClient;
  /** Returns all letters, or those to one address, in the order in which they were written. */
  letters(to?: string): Promise<SentLetter[]>;
  /** Returns the token in the last letter to this address. Throws if there is none. */
  tokenSent(to: string, kind?: MailKind): Promise<string>;
  /** Signs up by the pages: form, letter, confirmation. Returns the last answer. */
  signUp(
    browser: WebClient,
    who: { readonly name?: string; readonly email: string; readonly password?: string },
  ): Promise<WebAnswer>;
  /** Signs in by the page, without a second factor. Returns the answer, which is a redirect if it succeeds. */
  signIn(browser: WebClient, who: { readonly email: string; readonly password?: string }): Promise<WebAnswer>;
  /** Adds a signed-in person with a verified address. Opens no page and writes no letter. */
  signedInUser(who?: { readonly role?: Role | null; readonly name?: string; readonly email?: string }): Promise<Person>;
  /** Switches the second factor on. */
  secure(person: Person): Promise<SecuredPerson>;
}

export { goodPassword };

/** Starts a service in memory with all pages, without rate limits unless the settings contain some. */
export async function startDashboardService(
  settings: Parameters<typeof startAccountService>[0] = {},
  given: Parameters<typeof startAccountService>[1] = {},
): Promise<DashboardService> {
  const service = await startAccountService(settings, given);
  const { url, parts, clock, database } = service;
  const [signUp, sessions, secondFactor, mails] = [
    await parts.get(t.signUp),
    await parts.get(t.sessions),
    await parts.get(t.secondFactor),
    await parts.get(t.mailStore),
  ];
  const cookie = (name: CookieName) => ((settings.BASE_URL ?? '').startsWith('https:') ? `__Host-${name}` : name);
  const browser: DashboardService['browser'] = (headers) => createWebClient(url, headers);
  let people = 0;

  const letters: DashboardService['letters'] = async (to) => {
    const entries = await mails.list({ limit: 999, address: to });
    const found = await Promise.all(entries.map(({ id }) => mails.find(id)));
    return found.flatMap((mail) => (mail ? [{ kind: mail.kind, to: mail.to.address, text: mail.text }] : [])).reverse();
  };
  const tokenSent: DashboardService['tokenSent'] = async (to, kind) => {
    const token = tokenIn((await letters(to)).findLast((letter) => kind === undefined || letter.kind === kind));
    if (token === '') throw new Error(`There is no letter to ${to} with a link.`);
    return token;
  };

  const meIn = async (visitor: WebClient) => {
    const me = await sessions.authenticate(visitor.cookies.get(cookie('session')));
    if (me === undefined) throw new Error('Nobody is signed in in this browser.');
    return me;
  };

  return {
    ...service,
    browser,
    letters,
    tokenSent,
    async signUp(visitor, { name = 'Ada', email, password = goodPassword }) {
      await visitor.fill('/sign-up', { name, email, password });
      return await visitor.fill('/verify-email', { token: await tokenSent(email, 'verify-email'), password });
    },
    signIn: (visitor, { email, password = goodPassword }) => visitor.fill('/sign-in', { email, password }),
    async signedInUser({ role = null, name, email } = {}) {
      people++;
      const person = { name: name ?? `Person ${people}`, email: email ?? `person${people}@example.com` };
      const { token = '' } = good(await signUp.invite({ email: person.email, role, deliver: 'return' }, operator));
      const password = goodPassword;
      const session = good(await signUp.acceptInvitation(token, { name: person.name, password }, from));
      // An invitation verifies the address only if it came by letter.
      const verified = { email_verified_at: clock.now() };
      await database.write((trx) => trx('credentials').where({ user_id: session.login.id }).update(verified));
      const visitor = browser();
      visitor.cookies.set(cookie('session'), session.token);
      if (session.device !== undefined) visitor.cookies.set(cookie('device'), session.device);
      return { ...person, password, browser: visitor, me: () => meIn(visitor) };
    },
    async secure(person) {
      const me = await person.me();
      const { secret } = secondFactor.propose(me, 'test');
      const enabled = good(await secondFactor.enable(me, { secret, code: codeAt(secret, clock.now()) }));
      person.browser.cookies.set(cookie('session'), enabled.session.token);
      const nextCode = () => {
        clock.advance(30_000);
        return codeAt(secret, clock.now());
      };
      return { ...person, nextCode, recoveryCodes: enabled.recoveryCodes };
    },
  };
}
