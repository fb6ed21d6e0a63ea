import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { isRefused } from '../../core/refusal.ts';
import type { LicenseWish } from '../../core/selling/finding.ts';
import { compare, type List } from './compare.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import { type Line, makeSearchMarket, type SearchMarket, seekers } from './search-market.ts';
import { withParts } from './seed.ts';

export interface Searches {
  /** The number of licenses. */
  readonly sizes: Readonly<Record<'few' | 'many', number>>;
  readonly all: readonly List[];
}

/** The default size of a page. */
const limit = 20;
const day = 86_400_000;
/** Fewer than for other lists, because there are so many searches. */
const calls = 60;

type Seeker = keyof typeof seekers;

interface Asked {
  readonly name: string;
  readonly seeker: Seeker;
  readonly wish: (line: Line) => Omit<LicenseWish, 'limit'>;
}

/** Searches and lists of each seeker. The line is one of the seeker's licenses. */
export const wishes = (now: number) =>
  ({
    'license by key': ({ key }) => ({ search: key }),
    'licenses by the start of a key': ({ key }) => ({ search: key.slice(0, 11).toLowerCase() }),
    'license by the last four of its key': ({ key }) => ({ search: key.slice(-4) }),
    'license by domain': ({ domain }) => ({ search: domain }),
    'licenses by the start of a domain': () => ({ search: 'site-' }),
    'license by holder': ({ email }) => ({ search: email }),
    'licenses by the start of an address': ({ email }) => ({ search: email.replace(/\d+@.*/, '') }),
    'licenses by a text that all have': () => ({ search: 'mail.example.com' }),
    'license by reference': ({ reference }) => ({ search: reference }),
    'suspended licenses by a text that all have': () => ({ search: 'mail.example.com', status: 'suspended' }),
    'licenses of a product by a text that all have': ({ product }) => ({
      search: 'mail.example.com',
      product: `product-${product}`,
    }),
    'newest licenses': () => ({}),
    'oldest licenses': () => ({ order: 'oldest' }),
    'licenses that expire first': () => ({ order: 'expires' }),
    'licenses of a product': ({ product }) => ({ product: `product-${product}` }),
    'active licenses': () => ({ status: 'active' }),
    'expired licenses': () => ({ status: 'expired' }),
    'suspended licenses': () => ({ status: 'suspended' }),
    'licenses that expire soon': () => ({ expiresBefore: now + 2 * day }),
    'licenses that expire soon, in this order': () => ({ expiresBefore: now + 2 * day, order: 'expires' }),
    'expired licenses of a product': ({ product }) => ({ product: `product-${product}`, status: 'expired' }),
  }) as const satisfies Record<string, Asked['wish']>;

/** Measures each search and list of licenses with few and with many licenses. The times should be about the same. */
export async function measureSearches(
  databases: Databases,
  sizes: Searches['sizes'],
  tell: (line: string) => void,
): Promise<Searches> {
  const now = Date.now();
  const asked = Object.entries(wishes(now)).flatMap(([name, wish]) =>
    (Object.keys(seekers) as Seeker[]).map((seeker): Asked => ({ name: `${name}, ${whose[seeker]}`, seeker, wish })),
  );
  const all: List[] = [];
  for (const kind of databases.kinds) {
    const fill = async (licenses: number) => {
      tell(`search: ${licenses} licenses for ${kind}`);
      return await makeSearchMarket(await databases.create(kind), licenses, now);
    };
    all.push(...(await compareAll(kind, asked, await fill(sizes.few), await fill(sizes.many), tell)));
  }
  return { sizes, all };
}

const whose = { few: 'seller with 60', many: 'seller with 4,000', all: 'all' } as const satisfies Record<
  Seeker,
  string
>;

async function compareAll(
  kind: DatabaseKind,
  asked: readonly Asked[],
  few: SearchMarket,
  many: SearchMarket,
  tell: (line: string) => void,
): Promise<List[]> {
  return await withParts(few.url, (fewer) =>
    withParts(many.url, async (more) => {
      const all: List[] = [];
      for (const one of asked) {
        const list = await compare(
          `${kind}: ${one.name}`,
          await searchOf(fewer, few, one),
          await searchOf(more, many, one),
          calls,
        );
        tell(`${list.name}: ${list.few.toFixed(2)} ms, ${list.many.toFixed(2)} ms, ${list.ratio.toFixed(2)}`);
        all.push(list);
      }
      return all;
    }),
  );
}

async function searchOf(parts: Parts, { samples }: SearchMarket, { name, seeker, wish }: Asked) {
  const licenses = await parts.get(t.sellerLicenses);
  const asked = { ...wish(samples[seeker === 'all' ? 'other' : seeker]), limit };
  return async () => {
    const page = await licenses.list(asked, seekers[seeker]);
    if (isRefused(page) || page.licenses.length === 0) throw new Error(`${name}: nothing was found.`);
  };
}
