import { event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceLoginStore } from '../ports/device-login-store.ts';
import type { LoginStore } from '../ports/login-store.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { ApiKey } from './api-key.ts';
import { type TermsRefusal, wrongTerms } from './api-key-terms.ts';
import type { Keys } from './api-keys.ts';
import {
  type DeviceAnswer,
  type DeviceLogin,
  deviceKeyLife,
  deviceLoginLife,
  expiredToken,
  isWaiting,
  mintUserCode,
  type PollRefusal,
  parseUserCode,
  poll,
  pollInterval,
} from './device-login.ts';
import { looksLikeToken, mintToken } from './one-time-link.ts';
import { countAttempt } from './sign-in-limits.ts';
import { bySelf, type From, needsConfirmation, type SignedIn } from './signed-in.ts';

/** The request of a program. */
type Asked = Pick<DeviceLogin, 'clientName' | 'mode' | 'scopes'>;

/** The facts that a person sees about a program that asks. `code` is in the form that people see. */
export interface ShownDevice extends Asked, Pick<DeviceLogin, 'address' | 'createdAt'> {
  readonly code: string;
}

type TooMany = Refused<'too_many_attempts'>;
type Unknown = Refused<'code_unknown'>;
type Unconfirmed = Refused<'confirmation_needed'>;

/**
 * Gives API keys to programs without a browser (RFC 8628). The program shows a code, a signed-in person types it into a
 * page and approves, and the program fetches a key that expires after `deviceKeyLife`.
 */
export interface DeviceLogins {
  /** `address` is where the program calls from. */
  start(asked: Asked, address: string): Promise<StartedDevice | TooMany>;
  /**
   * Returns the program that asks. Its code must not be answered yet. Each call counts as an attempt to guess a code.
   */
  show(code: string, me: SignedIn, from: From): Promise<ShownDevice | Unknown | TooMany>;
  /** Lets the program have a key with this name. Needs the password again, if it was entered too long ago. */
  approve(
    code: string,
    keyName: string,
    me: SignedIn,
    from: From,
  ): Promise<'approved' | Unknown | TooMany | Unconfirmed | Refused<TermsRefusal>>;
  deny(code: string, me: SignedIn, from: From): Promise<'denied' | Unknown | TooMany>;
  /** Makes the key if the person has approved. Each approval makes only one key. */
  poll(deviceCode: string): Promise<{ readonly key: ApiKey; readonly secret: string } | Refused<PollRefusal>>;
}

export interface StartedDevice {
  /** Stored nowhere. Only the program has it. */
  readonly deviceCode: string;
  readonly userCode: string;
  /** In milliseconds. */
  readonly life: number;
  /** The seconds to wait between two questions. */
  readonly interval: number;
}

interface Ports {
  readonly store: DeviceLoginStore;
  readonly logins: Pick<LoginStore, 'find'>;
  readonly keys: Pick<Keys, 'createKey'>;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** Two logins have the same code about once in ten million, so the third code is always free. */
const mostTries = 5;

export function createDeviceLogins(ports: Ports): DeviceLogins {
  const { store, logins, keys, clock, secrets } = ports;

  /** Counts the attempt, then decides about the login that waits under this code. */
  async function answerWith<Result>(
    text: string,
    { login: { email } }: SignedIn,
    { address }: From,
    decide: Parameters<typeof store.change<Result | Unknown>>[1],
  ): Promise<Result | Unknown | TooMany> {
    const limited = await countAttempt(ports, 'user-code', { address, account: email });
    if (limited) return limited;
    const code = parseUserCode(text);
    if (code === undefined) return unknownCode();
    const result = await store.change({ userDigest: secrets.digest(code) }, (login) =>
      isWaiting(login, clock.now()) ? decide(login) : { after: 'same', result: unknownCode() },
    );
    return result === undefined ? unknownCode() : result;
  }

  const answered = (login: DeviceLogin, answer: DeviceAnswer, me: SignedIn) => ({
    after: { ...login, answer },
    event: event(
      answer.kind === 'approved' ? 'device.approved' : 'device.denied',
      me.login.email,
      bySelf(me),
      clock.now(),
      { client: login.clientName, address: login.address },
    ),
  });

  return {
    async start(asked, address) {
      const limited = await countAttempt(ports, 'device', { address, account: '' });
      if (limited) return limited;
      for (let tries = 0; tries < mostTries; tries++) {
        const now = clock.now();
        const [deviceCode, userCode] = [mintToken(secrets), mintUserCode(secrets)];
        const isAdded = await store.add(
          {
            ...asked,
            digest: secrets.digest(deviceCode),
            userDigest: secrets.digest(userCode),
            address,
            createdAt: now,
            expiresAt: now + deviceLoginLife,
            interval: pollInterval,
            polledAt: null,
            answer: { kind: 'waiting' },
          },
          now,
        );
        if (isAdded) return { deviceCode, userCode, life: deviceLoginLife, interval: pollInterval };
      }
      throw new Error('No code for a device was free.');
    },

    async show(text, me, from) {
      return await answerWith<ShownDevice>(text, me, from, ({ clientName, mode, scopes, address, createdAt }) => ({
        after: 'same',
        result: { code: parseUserCode(text) ?? text, clientName, mode, scopes, address, createdAt },
      }));
    },

    async approve(text, keyName, me, from) {
      const unconfirmed = needsConfirmation(me.session, clock.now());
      if (unconfirmed) return unconfirmed;
      return await answerWith<'approved' | Refused<TermsRefusal>>(text, me, from, (login) => {
        const now = clock.now();
        const { mode, scopes } = login;
        const wrong = wrongTerms({ name: keyName, mode, scopes, expiresAt: now + deviceKeyLife }, me.login, now);
        if (wrong) return { after: 'same', result: wrong };
        const { userId, generation } = me.session;
        return { ...answered(login, { kind: 'approved', userId, generation, keyName }, me), result: 'approved' };
      });
    },

    async deny(text, me, from) {
      return await answerWith<'denied'>(text, me, from, (login) => ({
        ...answered(login, { kind: 'denied' }, me),
        result: 'denied',
      }));
    },

    async poll(deviceCode) {
      if (!looksLikeToken(deviceCode)) return expiredToken();
      const digest = secrets.digest(deviceCode);
      const polled = await store.change({ digest }, (login) => {
        const { result, ...decided } = poll(login, clock.now());
        return { ...decided, result: { approved: result, login } };
      });
      if (polled === undefined) return expiredToken();
      const { approved, login: asked } = polled;
      if (isRefused(approved)) return approved;
      const user = await logins.find(approved.userId);
      if (user === undefined || user.generation !== approved.generation) {
        return refuse('access_denied', 'The account has changed since the approval. Sign in again.');
      }
      const { mode, scopes } = asked;
      const terms = { name: approved.keyName, mode, scopes, expiresAt: clock.now() + deviceKeyLife };
      const made = await keys.createKey(String(user.id), terms, { kind: 'user', user });
      return isRefused(made) ? refuse('access_denied', made.detail) : made;
    },
  };
}

function unknownCode(): Unknown {
  return refuse('code_unknown', 'No program waits with this code. It may have expired.');
}
