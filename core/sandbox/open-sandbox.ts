import type { Login } from '../accounts/login.ts';
import { countAgainst } from '../accounts/sign-in-limits.ts';
import type { SignInPorts } from '../accounts/sign-in-ports.ts';
import { type From, type NewSession, startSession } from '../accounts/signed-in.ts';
import { event } from '../events/event.ts';
import type { Allowance } from '../ports/rate-limiter.ts';
import type { SandboxStore } from '../ports/sandbox-store.ts';
import { randomHex } from '../random-hex.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import { mostSandboxes, sandboxLife, sandboxLimits, sandboxLimitsOfNetwork } from './sandbox.ts';

/** A new account of the sandbox. `Samples` is what it was filled with. */
export interface OpenedSandbox<Samples> {
  readonly session: NewSession;
  readonly samples: Samples;
}

/** Makes an account of the sandbox, fills it with samples, and signs its visitor in. It needs no address and has no password. */
export type OpenSandbox<Samples> = (
  from: From,
) => Promise<OpenedSandbox<Samples> | Refused<'sandbox_full' | 'too_many_attempts'>>;

interface OpenSandboxPorts<Samples> extends SignInPorts {
  readonly store: SandboxStore;
  fill(owner: Login, from: From): Promise<Samples>;
  /** Runs few at a time. Throws `Unavailable` if too many wait. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** The network around an address that can have one owner. */
  networkOf(address: string): string;
}

export function createOpenSandbox<Samples>(ports: OpenSandboxPorts<Samples>): OpenSandbox<Samples> {
  const { store, limiter, clock, secrets, fill, inTurn, networkOf } = ports;

  async function open(from: From): ReturnType<OpenSandbox<Samples>> {
    if ((await store.count()) >= mostSandboxes) return full();
    const count = (address: string, limits: readonly Allowance[]) =>
      countAgainst(limiter, clock, `sandbox:${JSON.stringify([address])}`, limits);
    const limited =
      (await count(from.address, sandboxLimits)) ?? (await count(networkOf(from.address), sandboxLimitsOfNetwork));
    if (limited) return limited;
    const now = clock.now();
    const email = `visitor-${randomHex(secrets, 8)}@sandbox.invalid`;
    const added = await store.add(
      {
        name: 'Visitor',
        email,
        role: null,
        passwordHash: null,
        emailVerifiedAt: null,
        tier: 'free',
        // Nobody reviews products in test mode here.
        selling: 'trusted',
        createdAt: now,
        sandboxUntil: now + sandboxLife,
      },
      mostSandboxes,
      event('user.added', email, { actor: email }, now, { tier: 'free', how: 'sandbox', role: null }),
    );
    if (isRefused(added)) {
      if (added.reason === 'sandbox_full') return full();
      throw new Error('Two accounts of the sandbox got the same address: the random number generator is broken.');
    }
    const samples = await fill(added, from);
    return { session: await startSession(ports, added, from, { isFirst: true }), samples };
  }

  return async (from) => {
    let hasTurn = false;
    try {
      return await inTurn(async () => {
        hasTurn = true;
        return await open(from);
      });
    } catch (error) {
      if (hasTurn || !(error instanceof Unavailable)) throw error;
      return refuse('sandbox_full', 'Many sandboxes are being opened at the moment. Try again in a minute.', {
        retry_after: 60,
      });
    }
  };
}

function full(): Refused<'sandbox_full'> {
  return refuse(
    'sandbox_full',
    'All accounts of the sandbox are in use. Each is deleted after a day. Try again later.',
    {
      retry_after: 600,
    },
  );
}
