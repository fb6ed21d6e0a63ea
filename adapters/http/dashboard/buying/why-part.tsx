import type { ComponentChildren, VNode } from 'preact';
import type { CheckedRule, Explanation, NextStep } from '../../../../core/licensing/explanation.ts';
import type { License } from '../../../../core/licensing/license.ts';
import type { Obstacle } from '../../../../core/licensing/obstacles.ts';
import { ExplainPart } from '../licenses/explain.tsx';
import { words as proveWords } from './prove-words.ts';
import { words } from './words.ts';

const { explain } = words;

/** Says why the site of a buyer does not work, and what the buyer can do. */
export function WhyPart({
  license,
  address,
  typed,
  explanation,
}: {
  readonly license: License;
  /** The address of the order. */
  readonly address: string;
  readonly typed: string;
  readonly explanation: Explanation | undefined;
}): VNode {
  return (
    <ExplainPart
      words={explain}
      address={address}
      typed={typed}
      explanation={explanation}
      fixOf={(rule) => explanation && fixFor(rule, explanation, license)}
      helpWith={(obstacle) => explanation && helpWith(obstacle, explanation, license, address)}
    />
  );
}

/** Returns what the buyer can do if a rule fails. */
function fixFor(
  rule: CheckedRule['rule'],
  { domain, nearest, next, taken }: Explanation,
  { maxDomains }: Pick<License, 'maxDomains'>,
): string | undefined {
  if (rule !== 'domain_activated' || domain === undefined) return explain.fixes[rule];
  const steps: Readonly<Record<NextStep, string>> = {
    remove_obstacles: explain.doMissing,
    remove_one_obstacle: explain.doOne,
    take_slot: explain.takes(taken ?? ''),
    activate: explain.fixes.domain_activated,
    free_slot: explain.full(maxDomains),
  };
  const advice = steps[next];
  return nearest === undefined ? advice : `${explain.meant(nearest.domain)} ${advice}`;
}

/** Returns what the buyer can do about something that is missing. `undefined`: what everybody can do. */
function helpWith(
  { code, found }: Obstacle,
  { domain }: Explanation,
  { maxDomains }: License,
  address: string,
): ComponentChildren | undefined {
  switch (code) {
    case 'slots_in_use':
    case 'slots_are_proven':
      return explain.full(maxDomains);
    case 'proof_not_found':
    case 'other_proof':
    case 'proof_lookup_failed':
    case 'proof_not_looked_up':
      return (
        <>
          {found}{' '}
          {domain !== undefined && (
            <a href={`${address}/domains/${encodeURIComponent(domain)}/prove`}>{proveWords.show}</a>
          )}
        </>
      );
    case 'domain_not_provable':
      return undefined;
    case 'deactivation_cools_down':
    case 'deactivation_needs_proof':
    case 'only_holder_deactivates':
      return explain.removeHere;
  }
}
