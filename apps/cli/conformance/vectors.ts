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
export const domainsOfMany = 50;

/** What each group of vectors says. */
const rules: Readonly<Record<string, string>> = {
  'plain names': 'A host name is taken as it is.',
  'letter case': 'Upper and lower case are the same domain.',
  dots: 'One dot at the end is dropped; empty labels are refused.',
  schemes: 'The scheme of an address is dropped, if the address has a host; other addresses are refused.',
  ports: 'A port is dropped; one that no address can have is refused.',
  'user info':
    'A user before the host is dropped, also with a password if the address has a scheme; without a host, the text is refused.',
  'paths, queries and fragments': 'Path, query and fragment are dropped.',
  blanks: 'Blanks around the text are dropped; a text that has only blanks, or one inside of the host, is refused.',
  'international names': 'A name in another script is the same domain as its Punycode, which answers show.',
  'percent-encoded hosts': 'An encoded host is decoded; one that has a forbidden character after that is refused.',
  IPv4: 'Each way to write an IPv4 address is the same domain; numbers that are too large are refused.',
  IPv6: 'An IPv6 address stands in brackets, in its shortest form.',
  patterns: 'A pattern such as *.example.com is refused.',
  characters: 'A character that no host can have is refused.',
  lengths: 'A label has at most 63 characters, and a host at most 253; longer ones are refused.',
};

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
      rule: rules[group] ?? `Domains are read as the vectors say: ${group}.`,
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
