import { z } from 'zod';
import { isReadable, whole } from './setting-schemas.ts';

const mostRpcs = 5;

/** The addresses can contain secrets, so an issue names an entry only by its place. */
const chains = z
  .string()
  .transform((text, context) => {
    const entries = text
      .split(';')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    const found = new Map<number, readonly string[]>();
    for (const [index, entry] of entries.entries()) {
      const read = chainOf(entry);
      const mistake =
        typeof read === 'string' ? read : found.has(read.id) ? 'has the chain id of another one' : undefined;
      if (mistake !== undefined) context.addIssue(`number ${index + 1} ${mistake}`);
      else if (typeof read !== 'string') found.set(read.id, read.urls);
    }
    return found as ReadonlyMap<number, readonly string[]>;
  })
  .describe(
    'empty, or chain ids with the addresses of their RPCs, such as 8453:https://rpc.example.com,https://rpc.example.net;1:https://rpc.example.org',
  );

/** Returns the chain id and the addresses, or what is wrong with them. */
function chainOf(entry: string): { id: number; urls: readonly string[] } | string {
  const [, digits = '', rest = ''] = /^(\d{1,15}):(.*)$/s.exec(entry) ?? [];
  const id = Number(digits);
  if (id === 0) return 'does not begin with a chain id and a colon';
  const urls = rest.split(',').map((url) => url.trim());
  if (!urls.every(isRpc)) return 'has an address that cannot be read: write http:// or https:// and a host';
  if (new Set(urls).size < urls.length) return 'has the same address twice, so one would only check itself';
  return urls.length > mostRpcs ? `has more than ${mostRpcs} addresses` : { id, urls };
}

function isRpc(text: string): boolean {
  return /^https?:\/\/[^/]/.test(text) && isReadable(text);
}

/** The settings about chains. */
export const chainVariables = {
  CHAINS: {
    fallback: '',
    meaning:
      'RPCs of the chains on which registered deployments are checked: `<chain id>:<address>,<address>;<chain id>:<address>`. With two or more RPCs of a chain, from different providers, they check each other; empty: nothing is checked',
    schema: chains,
  },
  USDC_SOFT_LIMIT: {
    fallback: '50',
    meaning:
      'The most that an order in USDC may cost, in whole US dollars, to get its license some blocks after its payment, before the payment is final. It needs two or more RPCs of the chain; 0: every license waits until its payment is final',
    schema: whole(0, 1_000_000, 50),
  },
} as const;
