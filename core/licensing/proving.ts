import type { Event } from '../events/event.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseStore, Scene } from '../ports/license-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Decided } from './activations.ts';
import type { DomainName } from './domain-name.ts';
import type { KeyDecision, Needing, ProofLookup } from './domain-proof.ts';
import type { AskedKey } from './key-lookup.ts';
import type { License } from './license.ts';
import { createLookUpProof, type ProofPorts } from './look-up-proof.ts';
import { createMissedProofs } from './missed-proofs.ts';

type Decide<Reason extends string> = (
  license: License,
  scene: Scene,
  domain: DomainName,
  now: Instant,
  lookup?: ProofLookup,
) => KeyDecision | Refused<Reason | 'invalid_key'>;

type Changing = KeyDecision & { readonly event?: Event };
type EventOf = (decided: Decided, now: Instant) => Event | undefined;

/** A change that was made. `how`: how to prove the host, if nobody has. `prove`: it is proven from now on. */
type Made = Pick<Decided, 'domain' | 'prove'> & { readonly how?: string };

/** The license that is changed. `from`: the network of the caller. */
type Asked = Pick<AskedKey, 'key' | 'hasEnded'> & { readonly from: string };

/** Makes a change of a host that may depend on a proof. */
type Proving = <Reason extends string>(
  asked: Asked,
  domain: DomainName,
  decide: Decide<Reason>,
  eventOf: EventOf,
) => Promise<Made | Refused<Reason | 'invalid_key' | 'rate_limit_exceeded'>>;

interface ProvingPorts extends ProofPorts {
  readonly store: Pick<LicenseStore, 'change'>;
  readonly clock: Clock;
}

/** More are needed only if the license or its product is changed meanwhile, each time. */
const mostTries = 8;

/**
 * A change that needs no proof is one transaction. For the others, the decision says what it needs. That is found out outside of any
 * transaction, because it takes seconds, and then the decision is made again. What was looked up in vain is looked up again after a minute, unless the
 * change is refused without it: so repeated activations of a domain that is not proven do not wait.
 */
export function createProving({ store, proofs, unproven, clock }: ProvingPorts): Proving {
  const missed = createMissedProofs(clock);
  const lookUp = createLookUpProof({ proofs, unproven });

  async function find(
    { key, from }: Pick<Asked, 'key' | 'from'>,
    { needs }: Needing,
    before: ProofLookup | undefined,
  ): Promise<ProofLookup> {
    const { host, slot, isDecisive } = needs;
    if (before?.host === host && before.proof === 'found') {
      return { ...before, ...(slot && { taken: await unproven.leastVerified(key) }) };
    }
    if (!isDecisive && missed.has(key, host)) return { host, text: proofs.textFor(key, host), proof: 'missing' };
    const lookup = await lookUp(key, from, needs);
    if (lookup.proof === 'missing') missed.note(key, host);
    return lookup;
  }

  return async <Reason extends string>(asked: Asked, domain: DomainName, decide: Decide<Reason>, eventOf: EventOf) => {
    let lookup: ProofLookup | undefined;
    for (let tries = 0; tries < mostTries; tries++) {
      const named = lookup?.taken === undefined ? [domain] : [domain, lookup.taken];
      const change: Changing | Refused<Reason | 'invalid_key'> = await store.change(
        asked.key,
        named,
        (license, scene): Changing | Refused<Reason | 'invalid_key'> => {
          const now = clock.now();
          if (asked.hasEnded(now)) return refuse('invalid_key');
          const decided = decide(license, scene, domain, now, lookup);
          if (isRefused(decided) || decided.needs) return decided;
          const event = eventOf(decided, now);
          return event === undefined ? decided : { ...decided, event };
        },
      );
      if (isRefused(change) || !change.needs) return change;
      lookup = await find(asked, change, lookup);
    }
    return refuse('rate_limit_exceeded', 'The license is being changed by others. Try again.', { retry_after: 5 });
  };
}
