import { toProductId } from '../../core/id.ts';
import { activate, type Decided, deactivate } from '../../core/licensing/activations.ts';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import * as rules from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { move } from '../../core/licensing/move.ts';
import { verify } from '../../core/licensing/verdict.ts';
import { defaultTerms } from '../../core/marketplace/product-terms.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { around, saved } from '../support/around.ts';
import type { Call } from './history.ts';

/** A perpetual license with its domains, newest first. Time does not pass in it. */
export interface State {
  readonly license: rules.License;
  readonly domains: readonly rules.Activation[];
}

export interface Step {
  /** The same object if the call changes nothing. */
  readonly state: State;
  readonly answer: string;
}

const now = 0;

/** The product of the test allows so many moves that the limit is reached now and then. */
export const movesPerMonth = 6;

export function newState(maxDomains: number): State {
  return {
    license: {
      key: 'LIC-0000-0000-0000-0000' as LicenseKey,
      productId: toProductId(1),
      ownerId: null,
      isLive: true,
      standing: 'active',
      maxDomains,
      domainsUsed: 0,
      freeDomains: 0,
      daysFromActivation: null,
      updatesUntil: null,
      entitlements: [],
      moves: { month: null, made: 0 },
      ownStanding: null,
      expiresAt: null,
      createdAt: now,
      retired: { verificationCount: 0, lastVerifiedAt: null },
    },
    domains: [],
  };
}

/** Applies the core's rules to a call. */
export function apply(state: State, call: Call): Step {
  const { license, domains } = state;
  const unchanged = (answer: string): Step => ({ state, answer });
  switch (call.op) {
    case 'activate':
      return decided(state, activate(license, surroundings(state), call.domain as DomainName, now));
    case 'deactivate':
      return decided(state, deactivate(license, surroundings(state), call.domain as DomainName, now));
    case 'move': {
      const asked = { from: call.domain as DomainName, to: call.to as DomainName, overlapHours: call.overlap };
      return decided(state, move(license, { ...surroundings(state), movesPerMonth }, asked, now));
    }
    case 'verify': {
      const current = find(state, call.domain);
      const verdict = verify(license, current, now);
      if (isRefused(verdict)) return unchanged(verdict.reason);
      const counted = domains.map((one) =>
        one === current ? { ...one, verificationCount: one.verificationCount + 1 } : one,
      );
      return { state: { license, domains: counted }, answer: 'ok' };
    }
    case 'status':
      return unchanged(
        describeStatus({
          status: rules.statusOf(license, now),
          domainsUsed: license.domainsUsed,
          maxDomains: license.maxDomains,
          total: rules.total(license, domains).verificationCount,
          domains: domains.map(({ domain, verificationCount }) => ({ domain, count: verificationCount })),
        }),
      );
    case 'renew': {
      const renewed = rules.renew(license, null, now);
      return unchanged(isRefused(renewed) ? renewed.reason : 'ok');
    }
    case 'suspend':
    case 'reinstate':
    case 'revoke': {
      const changed = rules.transit(license, call.op, now);
      return isRefused(changed) ? unchanged(changed.reason) : { state: { license: changed, domains }, answer: 'ok' };
    }
  }
}

function surroundings({ domains }: State) {
  return around(domains, defaultTerms.hosts);
}

/** The newest domain comes first, as in the answers. */
function decided(state: State, decision: Decided | Refused): Step {
  if (isRefused(decision)) return { state, answer: decision.reason };
  if (decision.license === state.license) return { state, answer: 'ok' };
  const { add, ...others } = decision;
  const after = saved(surroundings(state).activations, others);
  const left = state.domains.flatMap(({ domain }) => after.get(domain) ?? []);
  return { state: { license: decision.license, domains: [...(add ? [add] : []), ...left] }, answer: 'ok' };
}

/** Whether a call with this answer changes nothing in every state. */
export function changesNothing({ op }: Call, answer: string): boolean {
  return answer !== 'ok' || op === 'renew';
}

/** Everything on which a later answer can depend. */
export function fingerprint({ license, domains }: State): string {
  const counts = domains
    .map(
      ({ domain, verificationCount, movedTo, movedFrom }) => `${domain}:${verificationCount}:${movedFrom}>${movedTo}`,
    )
    .join();
  const { standing, domainsUsed, retired, moves } = license;
  return `${standing} ${domainsUsed} ${retired.verificationCount} ${moves.made} ${counts}`;
}

/** The parts of a status response that are compared: all but times and product. */
export function describeStatus(seen: {
  readonly status: string;
  readonly domainsUsed: number;
  readonly maxDomains: number;
  readonly total: number;
  readonly domains: readonly { readonly domain: string; readonly count: number }[];
}): string {
  const domains = seen.domains.map(({ domain, count }) => `${domain}:${count}`).join(' ');
  return `${seen.status} ${seen.domainsUsed}/${seen.maxDomains} total ${seen.total} [${domains}]`;
}

/**
 * Whether either of two successive calls could have another result if their order were swapped. It may return true for
 * calls that do not depend on each other, but never false for calls that do.
 */
export function dependsOnOrder(changed: Call, next: Call): boolean {
  if (next.op === 'status') return true;
  // A move depends on nearly all others: on slots, on both domains, and on the domain that was moved before.
  if (changed.op === 'move' || next.op === 'move') return changed.op !== 'renew' && changed.op !== 'status';
  const sameDomain = 'domain' in changed && 'domain' in next && changed.domain === next.domain;
  const setsStanding = next.op === 'suspend' || next.op === 'revoke';
  switch (changed.op) {
    case 'verify':
      return setsStanding || next.op === 'deactivate';
    case 'activate':
      return setsStanding || next.op === 'activate' || next.op === 'deactivate' || sameDomain;
    case 'deactivate':
      // It may also end the domain that was moved to its own.
      return next.op === 'activate' || next.op === 'verify' || next.op === 'deactivate' || sameDomain;
    case 'suspend':
    case 'reinstate':
    case 'revoke':
      return next.op !== 'deactivate';
    case 'renew':
    case 'status':
      return false;
  }
}

function find({ domains }: State, name: string): rules.Activation | undefined {
  return domains.find(({ domain }) => domain === name);
}
