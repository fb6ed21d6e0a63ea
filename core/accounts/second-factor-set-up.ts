import { type EventType, event } from '../events/event.ts';
import type { LetterOf } from '../mail/letter.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { lettersAbout } from './letters-about.ts';
import { looksLikeSecret, mintRecoveryCodes, mintSecret, type SecondFactor } from './second-factor.ts';
import { countAppCode } from './sign-in-limits.ts';
import type { SignInPorts } from './sign-in-ports.ts';
import { bySelf, type NewSession, refusingCredentials, renewSession, type SignedIn } from './signed-in.ts';

type Refusal = Refused<'confirmation_needed' | 'forbidden' | 'signed_out'>;

/** Recovery codes to show. They are returned only here. The database has only their digests. */
export interface ShownCodes {
  readonly session: NewSession;
  readonly recoveryCodes: readonly string[];
}

/** Switching the second factor on and off. Each change ends the user's other sessions and links. */
export interface SecondFactorSetUp {
  /**
   * Returns a secret for an app. It is not stored: `enable` gets it back with a code that proves that the app works.
   * `before` is what the form sent back. If it has the form of a secret, it is proposed again.
   */
  propose(me: SignedIn, issuer: string, before?: string): { readonly secret: string; readonly uri: string };
  /** Replaces a second factor that is on. A code that was used with the same secret is wrong. */
  enable(
    me: SignedIn,
    app: { readonly secret: string; readonly code: string },
  ): Promise<ShownCodes | Refusal | Refused<'wrong_code' | 'too_many_attempts'>>;
  /** Replaces all recovery codes. */
  renewRecoveryCodes(me: SignedIn): Promise<ShownCodes | Refusal | Refused<'second_factor_off'>>;
  disable(me: SignedIn): Promise<NewSession | Refusal | Refused<'second_factor_off'>>;
}

const eventTypes = {
  on: 'user.second_factor_on',
  off: 'user.second_factor_off',
  codes: 'user.recovery_codes_made',
} as const satisfies Record<LetterOf<'second-factor-changed'>['change'], EventType>;

export function createSecondFactorSetUp(ports: SignInPorts): SecondFactorSetUp {
  const { logins, codes, secrets, clock } = ports;

  async function change<R extends string>(
    me: SignedIn,
    change: keyof typeof eventTypes,
    decide: (before: SecondFactor | null) => SecondFactor | null | Refused<R>,
  ): Promise<NewSession | Refused<R | 'confirmation_needed' | 'forbidden' | 'signed_out'>> {
    const refused = refusingCredentials(me, clock.now());
    if (refused) return refused;
    const login = await logins.change<R | 'signed_out'>(me.login.id, (before) => {
      if (before.generation !== me.session.generation) return refuse('signed_out');
      const secondFactor = decide(before.secondFactor);
      if (isRefused(secondFactor)) return secondFactor;
      const after = { ...before, secondFactor, generation: before.generation + 1 };
      const { id, name, email } = before;
      const now = clock.now();
      return {
        after,
        event: event(eventTypes[change], email, bySelf(me), now),
        letters: lettersAbout(ports, before, { kind: 'second-factor-changed', name, change }),
        notices: [{ userId: id, notice: { kind: 'second_factor_changed', change }, createdAt: now }],
      };
    });
    if (login === undefined) return refuse('signed_out');
    if (isRefused(login)) return login;
    return await renewSession(ports, me, login);
  }

  const wrong = () => refuse('wrong_code', 'The code is wrong, or it was used before.');
  const off = () => refuse('second_factor_off', 'The account has no second factor.');
  return {
    propose({ login }, issuer, before = '') {
      const secret = looksLikeSecret(before) ? before : mintSecret(codes, secrets);
      return { secret, uri: codes.uri({ secret, account: login.email, issuer }) };
    },

    async enable(me, { secret, code }) {
      const limited = await countAppCode(ports, me.login.id);
      if (limited) return limited;
      const step = looksLikeSecret(secret) ? codes.stepOf(secret, code.replace(/\s/g, ''), clock.now()) : undefined;
      if (step === undefined) return wrong();
      const { shown, digests } = mintRecoveryCodes(secrets);
      const session = await change(me, 'on', (before) => {
        const isUsed = before !== null && secrets.equal(before.secret, secret) && step <= before.lastStep;
        return isUsed ? wrong() : { secret, lastStep: step, recoveryDigests: digests };
      });
      return isRefused(session) ? session : { session, recoveryCodes: shown };
    },

    async renewRecoveryCodes(me) {
      const { shown, digests } = mintRecoveryCodes(secrets);
      const session = await change(me, 'codes', (before) =>
        before === null ? off() : { ...before, recoveryDigests: digests },
      );
      return isRefused(session) ? session : { session, recoveryCodes: shown };
    },

    disable: (me) => change(me, 'off', (before) => (before === null ? off() : null)),
  };
}
