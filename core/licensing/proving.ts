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
import { createMissedProofs } from './missed-proofs.ts';

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

/** The license that is changed. `from`: the network of the caller. */
type Asked = Pick<AskedKey, 'key' | 'hasEnded'> & { readonly from: string };

/** Makes a change of a host that may depend on a proof. */
type Proving = <Reason extends string>(
  asked: Asked,
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
 * transaction, because it takes seconds, and then the decision is made again. What was looked up in vain is looked up again after a minute, unless the
 * change is refused without it: so repeated activations of a domain that is not proven do not wait.
 */
export function createProving({ store, proofs, unproven, clock }: ProvingPorts): Proving {
  const missed = createMissedProofs(clock);

  async function find(
    { key, from }: Pick<Asked, 'key' | 'from'>,
    { needs: { host, slot, isDecisive } }: Needing,
    before: Shown | undefined,
  ): Promise<Shown> {
    const how = howToProve(host, proofs.textFor(key, host));
    const isKnown = before?.host === host && before.proof === 'found';
    if (!isKnown && !isDecisive && missed.has(key, host)) return { host, how, proof: 'missing' };
    const found = isKnown || (await proofs.find(key, host, from));
    if (isRefused(found)) return { host, how, proof: 'busy' };
    if (!found) {
      missed.note(key, host);
      return { host, how, proof: 'missing' };
    }
    return { host, how, proof: 'found', ...(slot && { taken: await unproven.leastVerified(key) }) };
  }

  return async <Reason extends string>(asked: Asked, domain: DomainName, decide: Decide<Reason>, eventOf: EventOf) => {
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
