import type { Event } from '../events/event.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { DomainProofs } from '../ports/domain-proofs.ts';
import type { LicenseStore, Scene } from '../ports/license-store.ts';
import type { UnprovenDomains } from '../ports/unproven-domains.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Decided } from './activations.ts';
import type { DomainName } from './domain-name.ts';
import { type GuardedDecision, howToProve, type Needing, type Shown } from './domain-proof.ts';
import type { AskedKey } from './key-lookup.ts';
import type { License } from './license.ts';

type Decide<Reason extends string> = (
  license: License,
  scene: Scene,
  domain: DomainName,
  now: Instant,
  shown?: Shown,
) => GuardedDecision | Refused<Reason>;

type Changing = GuardedDecision & { readonly event?: Event };
type EventOf = (decided: Decided, now: Instant) => Event | undefined;

/** A change that was made. `how`: how to prove the host, if nobody has. */
type Made = Pick<Decided, 'domain'> & { readonly how?: string };

/** Makes a change of a host that may depend on a proof. */
type Proving = <Reason extends string>(
  asked: Pick<AskedKey, 'key' | 'hasEnded'>,
  domain: DomainName,
  decide: Decide<Reason>,
  eventOf: EventOf,
) => Promise<Made | Refused<Reason | 'invalid_key' | 'rate_limit_exceeded'>>;

interface ProvingPorts {
  readonly store: Pick<LicenseStore, 'change'>;
  readonly proofs: DomainProofs;
  readonly unproven: UnprovenDomains;
  readonly clock: Clock;
}

/** More are needed only if the license or its product is changed meanwhile, each time. */
const mostTries = 8;

/**
 * A change that needs no proof is one transaction. For the others, the decision says what it needs. That is found out outside of any
 * transaction, because it takes seconds, and then the decision is made again.
 */
export function createProving({ store, proofs, unproven, clock }: ProvingPorts): Proving {
  async function find(
    { key }: Pick<AskedKey, 'key'>,
    { needs: { host, slot } }: Needing,
    before: Shown | undefined,
  ): Promise<Shown> {
    const how = howToProve(host, proofs.textFor(key, host));
    const found = (before?.host === host && before.proof === 'found') || (await proofs.find(key, host));
    if (isRefused(found)) return { host, how, proof: 'busy' };
    if (!found) return { host, how, proof: 'missing' };
    return { host, how, proof: 'found', ...(slot && { taken: await unproven.leastVerified(key) }) };
  }

  return async <Reason extends string>(
    asked: Pick<AskedKey, 'key' | 'hasEnded'>,
    domain: DomainName,
    decide: Decide<Reason>,
    eventOf: EventOf,
  ) => {
    let shown: Shown | undefined;
    for (let tries = 0; tries < mostTries; tries++) {
      const named = shown?.taken === undefined ? [domain] : [domain, shown.taken];
      const change: Changing | Refused<Reason | 'invalid_key'> = await store.change(
        asked.key,
        named,
        (license, scene): Changing | Refused<Reason | 'invalid_key'> => {
          const now = clock.now();
          if (asked.hasEnded(now)) return refuse('invalid_key');
          const decided = decide(license, scene, domain, now, shown);
          if (isRefused(decided) || decided.needs) return decided;
          const event = eventOf(decided, now);
          return event === undefined ? decided : { ...decided, event };
        },
      );
      if (isRefused(change) || !change.needs) return change;
      shown = await find(asked, change, shown);
    }
    return refuse('rate_limit_exceeded', 'The license is being changed by others. Try again.', { retry_after: 5 });
  };
}
