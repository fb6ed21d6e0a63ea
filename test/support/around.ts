import type { ChangedActivations, Surroundings } from '../../core/licensing/activations.ts';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { Activation } from '../../core/licensing/license.ts';
import { defaultTerms, type HostRules } from '../../core/marketplace/product-terms.ts';

/** All activations of a license. */
export type Activations = ReadonlyMap<DomainName, Activation>;

/** Returns the data for a decision about the hosts of a license. Rules that are not given are those of the spec. */
export function around(activations: Activations | readonly Activation[], hosts: Partial<HostRules> = {}): Surroundings {
  const all =
    activations instanceof Map ? activations : new Map([...activations.values()].map((one) => [one.domain, one]));
  return { hosts: { ...defaultTerms.hosts, ...hosts }, activations: all };
}

/** Returns the activations after a change, as a store saves them. */
export function saved(activations: Activations, { remove = [], end, add }: ChangedActivations): Activations {
  const after = new Map(activations);
  for (const domain of remove) after.delete(domain);
  const ending = end && after.get(end.domain);
  if (end && ending) after.set(end.domain, { ...ending, ...end });
  if (add) after.set(add.domain, add);
  return after;
}
