import type { Login } from '../accounts/login.ts';
import { countAgainst } from '../accounts/sign-in-limits.ts';
import type { SignInPorts } from '../accounts/sign-in-ports.ts';
import { type From, type NewSession, startSession } from '../accounts/signed-in.ts';
import { event } from '../events/event.ts';
import type { SandboxStore } from '../ports/sandbox-store.ts';
import { randomHex } from '../random-hex.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { mostSandboxes, sandboxLife, sandboxLimits } from './sandbox.ts';

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
}

export function createOpenSandbox<Samples>(ports: OpenSandboxPorts<Samples>): OpenSandbox<Samples> {
  const { store, limiter, clock, secrets, fill } = ports;
  return async (from) => {
    if ((await store.count()) >= mostSandboxes) return full();
    const subject = `sandbox:${JSON.stringify([from.address])}`;
    const limited = await countAgainst(limiter, clock, subject, sandboxLimits);
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
