import type { DeactivationGuard, KeyRules, ProofPolicy } from '../../../../core/marketplace/product-terms.ts';
import { counted } from '../../ui/numbers.ts';

const guards = {
  key: 'The key is enough',
  proof: 'Needs a proof of the domain',
  holder: 'Not possible: only the buyer and you can',
  cool_down: 'Once in a number of hours for each license',
} as const satisfies Record<DeactivationGuard, string>;

/** The texts about the rules against strangers who have read a license key. */
export const keyRuleWords = {
  domainProof: 'Proof that the caller controls a domain',
  proofPolicies: {
    never: 'Never needed',
    to_take: 'To take the slot of another domain',
    always: 'Always, before a domain takes a slot',
  } satisfies Record<ProofPolicy, string>,
  deactivation: 'Deactivating with the license key',
  guards,
  guardOf: ({ deactivation, coolDownHours }: KeyRules): string =>
    deactivation === 'cool_down' ? `Once in ${counted(coolDownHours, 'hour')} for each license` : guards[deactivation],
  coolDown: 'Hours between two deactivations',
  coolDownHint: 'Only used if the key can deactivate once in a number of hours.',
};
