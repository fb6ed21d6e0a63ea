import vectors from '../../sdk/vectors/domains.json' with { type: 'json' };
import type { Case, LicenseKind, Step } from './kit.ts';

export { vectors };

interface Vector {
  readonly group: string;
  readonly input: string;
  /** Null if the input is refused. */
  readonly domain: string | null;
  readonly sample?: boolean;
}

/** How many domains a license of the kind `many` has at least. */
export const mostDomains = 50;

const refused = 'refused ';

/** A case for each group of vectors, of the whole list or of its samples. Each vector is one call. */
export function vectorCases(taken: 'sample' | 'all'): Case[] {
  const groups = new Map<string, Vector[]>();
  for (const vector of vectors.cases as readonly Vector[]) {
    if (taken === 'sample' && !vector.sample) continue;
    const group = vector.group.replace(refused, '');
    groups.set(group, [...(groups.get(group) ?? []), vector]);
  }
  return Array.from(groups, ([group, members]) => {
    const kind = kindFor(new Set(members.flatMap(({ domain }) => domain ?? [])).size);
    return {
      id: `domains-${group.toLowerCase().replaceAll(/\W+/g, '-')}`,
      group: 'domains',
      rule: `Domains are read as the vectors say: ${group}.`,
      guide: 'license-api.md#domains',
      licenses: [kind],
      steps: stepsOf(members, `{${kind}}`),
    };
  });
}

function kindFor(domains: number): LicenseKind {
  if (domains <= 1) return 'one';
  return domains === 2 ? 'two' : 'many';
}

/** The first text for a domain activates it, so that the answer shows the domain. The others must be valid after that. */
function stepsOf(members: readonly Vector[], license_key: string): Step[] {
  const activated = new Set<string>();
  return members.map(({ input, domain }) => {
    const sent = { license_key, domain: input };
    if (domain !== null && !activated.has(domain)) {
      activated.add(domain);
      const answer = { status: 200, schema: 'done', contains: { domain } };
      return { request: { method: 'POST', path: '/activate', json: sent }, answer };
    }
    const answer =
      domain === null ? { status: 422, schema: 'wrong_parameters_of_verify' } : { status: 200, schema: 'valid' };
    return { request: { method: 'GET', path: '/verify', query: sent }, answer };
  });
}
