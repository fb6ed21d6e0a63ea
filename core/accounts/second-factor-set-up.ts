import { type EventType, event } from '../events/event.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { looksLikeSecret, mintRecoveryCodes, mintSecret, type SecondFactor } from './second-factor.ts';
import { countAppCode } from './sign-in-limits.ts';
import type { SignInPorts } from './sign-in-ports.ts';
import { actorOf, type NewSession, needsConfirmation, renewSession, type SignedIn } from './signed-in.ts';

type Refusal = Refused<'confirmation_needed' | 'signed_out'>;

/** Recovery codes to show. They are returned only here, and stored nowhere. */
export interface ShownCodes {
  readonly session: NewSession;
  readonly recoveryCodes: readonly string[];
}

/** Switching the second factor on and off. Each change ends the user's other sessions and links. */
export interface SecondFactorSetUp {
  /** Returns a secret for an app. It is not stored: `enable` gets it back with a code that proves that the app works. */
  propose(me: SignedIn, issuer: string): { readonly secret: string; readonly uri: string };
  /** Replaces a second factor that is on. */
  enable(
    me: SignedIn,
    app: { readonly secret: string; readonly code: string },
  ): Promise<ShownCodes | Refusal | Refused<'wrong_code' | 'too_many_attempts'>>;
  /** Replaces all recovery codes. */
  renewRecoveryCodes(me: SignedIn): Promise<ShownCodes | Refusal | Refused<'second_factor_off'>>;
  disable(me: SignedIn): Promise<NewSession | Refusal | Refused<'second_factor_off'>>;
}

export function createSecondFactorSetUp(ports: SignInPorts): SecondFactorSetUp {
  const { logins, codes, secrets, letters, clock } = ports;

  async function change<R extends string>(
    me: SignedIn,
    type: EventType,
    decide: (before: SecondFactor | null) => SecondFactor | null | Refused<R>,
  ): Promise<NewSession | Refused<R | 'confirmation_needed' | 'signed_out'>> {
    const unconfirmed = needsConfirmation(me.session, clock.now());
    if (unconfirmed) return unconfirmed;
    const login = await logins.change<R | 'signed_out'>(me.login.id, (before) => {
      if (before.generation !== me.session.generation) return refuse('signed_out');
      const secondFactor = decide(before.secondFactor);
      if (isRefused(secondFactor)) return secondFactor;
      const after = { ...before, secondFactor, generation: before.generation + 1 };
      return { after, event: event(type, before.email, actorOf(me), clock.now()) };
    });
    if (login === undefined) return refuse('signed_out');
    if (isRefused(login)) return login;
    const isOn = login.secondFactor !== null;
    await letters.send('second-factor-changed', login.email, { name: login.name, isOn });
    return await renewSession(ports, me, login);
  }

  const off = () => refuse('second_factor_off', 'The account has no second factor.');
  return {
    propose({ login }, issuer) {
      const secret = mintSecret(codes, secrets);
      return { secret, uri: codes.uri({ secret, account: login.email, issuer }) };
    },

    async enable(me, { secret, code }) {
      const limited = await countAppCode(ports, me.login.id);
      if (limited) return limited;
      const step = looksLikeSecret(secret) ? codes.stepOf(secret, code.replace(/\s/g, ''), clock.now()) : undefined;
      if (step === undefined) return refuse('wrong_code', 'The code is wrong.');
      const { shown, digests } = mintRecoveryCodes(secrets);
      const session = await change<never>(me, 'user.second_factor_on', () => ({
        secret,
        lastStep: step,
        recoveryDigests: digests,
      }));
      return isRefused(session) ? session : { session, recoveryCodes: shown };
    },

    async renewRecoveryCodes(me) {
      const { shown, digests } = mintRecoveryCodes(secrets);
      const session = await change(me, 'user.recovery_codes_made', (before) =>
        before === null ? off() : { ...before, recoveryDigests: digests },
      );
      return isRefused(session) ? session : { session, recoveryCodes: shown };
    },

    disable: (me) => change(me, 'user.second_factor_off', (before) => (before === null ? off() : null)),
  };
}
