import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { event } from '../../core/events/event.ts';
import { usualRecurrence } from '../../core/marketplace/offers.ts';
import type { Listing } from '../../core/marketplace/product.ts';
import type { ProductLinks } from '../../core/marketplace/product-links.ts';
import type { ProductTerms } from '../../core/marketplace/product-terms.ts';
import type { NewOffer } from '../../core/selling/product-offers.ts';
import { drawPicture } from '../samples/picture.ts';
import { done, operator, staged, writeZip } from '../samples/sample.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { people } from './people.ts';

interface Offered extends Pick<Listing, 'title' | 'tagline' | 'price' | 'category' | 'tags' | 'blockchains'> {
  readonly slug: string;
  readonly about: string;
  readonly colours: Parameters<typeof drawPicture>;
  readonly terms?: Partial<ProductTerms>;
  readonly links?: Partial<ProductLinks>;
  /** The template whose download is sold with it. */
  readonly template?: string;
  readonly offers?: readonly NewOffer[];
}

const year = { days: 365, from: 'issue' } as const;
const usual = { maxDomains: 1, updatesMonths: null, entitlements: [], isListed: true } as const;

const monthly = { ...usual, kind: 'subscription', duration: null, recurs: usualRecurrence } as const;

/** The products in the storefront of the demo. */
export const offers = [
  {
    slug: 'swap-kit',
    title: 'Swap Kit',
    tagline: 'A decentralised exchange for your own tokens',
    about: 'Pools, fees and a chart, ready for your brand. Works with every wallet that speaks WalletConnect.',
    price: 14_900,
    category: 'defi-dex',
    tags: ['dex', 'swap', 'liquidity'],
    blockchains: ['ethereum', 'base', 'arbitrum'],
    colours: [
      [18, 52, 86],
      [94, 234, 212],
    ],
    terms: { maxDomains: 3 },
    links: { demo: 'https://demo.example.com/swap-kit', video: 'https://video.example.com/swap-kit' },
    template: 'defi-dex-pro',
  },
  {
    slug: 'mint-page',
    title: 'Mint Page',
    tagline: 'Sell a collection in an afternoon',
    about: 'A page for a drop with an allow list, phases and a counter that never lies.',
    price: 7_900,
    category: 'nfts-games',
    tags: ['nft', 'mint'],
    blockchains: ['ethereum', 'polygon'],
    colours: [
      [76, 29, 149],
      [244, 114, 182],
    ],
  },
  {
    slug: 'launch-pad',
    title: 'Launch Pad',
    tagline: 'Token sales with caps, rounds and refunds',
    about: 'Buyers see what is left in each round. Refunds work by themselves if the soft cap is missed.',
    price: 19_900,
    category: 'launch-token-sales',
    tags: ['sale', 'launch'],
    blockchains: ['bsc', 'ethereum'],
    colours: [
      [120, 53, 15],
      [253, 224, 71],
    ],
    terms: { duration: year },
    offers: [
      { ...usual, name: 'One year', kind: 'once', price: 19_900, duration: year },
      {
        ...usual,
        name: 'Studio',
        kind: 'once',
        price: 49_900,
        duration: year,
        maxDomains: 10,
        entitlements: ['white-label'],
      },
      { ...usual, name: 'Trial', kind: 'trial', price: 0, duration: { ...year, days: 14 } },
      { ...usual, name: 'Another year', kind: 'renewal', price: 9_900, duration: year },
      {
        ...{ ...usual, name: 'Upgrade to Studio', kind: 'upgrade', price: 49_900, duration: year },
        ...{ maxDomains: 10, entitlements: ['white-label'], fromOffer: 'one-year' },
      },
    ],
  },
  {
    slug: 'vesting-board',
    title: 'Vesting Board',
    tagline: 'Who gets how much, and when',
    about: 'Schedules for teams and investors, with a claim button and an export for bookkeeping.',
    price: 4_900,
    category: 'token-tools',
    tags: ['vesting', 'token'],
    blockchains: ['ethereum', 'avalanche'],
    colours: [
      [6, 78, 59],
      [190, 242, 100],
    ],
    terms: { onRefund: 'keep' },
    offers: [
      { ...monthly, name: 'Monthly', price: 900 },
      { ...monthly, name: 'Team', price: 2_900, maxDomains: 10, entitlements: ['team'] },
      { ...monthly, name: 'Yearly', price: 9_000, recurs: { ...usualRecurrence, months: 12, perpetualAfter: 12 } },
    ],
  },
  {
    slug: 'arena',
    title: 'Arena',
    tagline: 'A card game with decks on the chain',
    about: 'Matches run in the browser. Only the cards are on the chain, so playing costs nothing.',
    price: 9_900,
    category: 'nfts-games',
    tags: ['game', 'cards'],
    blockchains: ['polygon', 'base'],
    colours: [
      [127, 29, 29],
      [251, 146, 60],
    ],
  },
  {
    slug: 'faucet',
    title: 'Faucet',
    tagline: 'Test tokens for your users, free of charge',
    about: 'Gives out test tokens once a day for each address. Free, with the same license check as all others.',
    price: 0,
    category: 'token-tools',
    tags: ['free', 'testnet'],
    blockchains: ['sepolia'],
    colours: [
      [30, 64, 175],
      [147, 197, 253],
    ],
  },
] as const satisfies readonly Offered[];

/** Publishes what the storefront sells. Returns an API key of the seller. */
export async function addShop(parts: Parts): Promise<string> {
  const [accounts, marketplace, products, mine, sold, templates, disk, sellerPages, clock] = [
    await parts.get(t.accounts),
    await parts.get(t.marketplace),
    await parts.get(t.products),
    await parts.get(t.sellerProducts),
    await parts.get(t.productOffers),
    await parts.get(t.productTemplates),
    await parts.get(t.files),
    await parts.get(t.sellerPageStore),
    await parts.get(t.clock),
  ];
  const terms = { name: 'demo', mode: 'live', scopes: null, expiresAt: null } as const;
  const key = done(await accounts.createKey(people.seller.email, terms, operator));
  const seller = done(await accounts.authenticate(key.secret));
  for (const offer of offers) {
    const { slug, title, tagline, about, price, category, tags, blockchains, colours, ...more }: Offered = offer;
    const stored = join(disk.staging, `${slug}.zip`);
    const picture = join(disk.staging, `${slug}.png`);
    await writeZip(stored, { 'README.md': `# ${title}\n\n${about}\n`, 'index.html': `<h1>${title}</h1>\n` });
    await writeFile(picture, drawPicture(...colours));
    const listing = {
      title,
      tagline,
      description: `${about}\n\n## What you get\n\n- The source code\n- Updates\n- A license for your own site`,
      price,
      module: 'custom',
      variant: null,
      category,
      subcategory: null,
      tags,
      blockchains,
      isSupported: price > 0,
    };
    const image = await staged(picture, 'png');
    done(await marketplace.publish(seller, listing, await staged(stored, 'zip'), image));
    done(await products.change(slug, 'approve', operator));
    const edit = {
      sellerName: 'Lovelace Labs',
      ...(more.links && { links: more.links }),
      ...(more.terms && { terms: more.terms }),
    };
    done(await mine.change(slug, edit, { actor: operator, mode: 'live' }));
    for (const one of more.offers ?? []) done(await sold.add(slug, one, { actor: operator, mode: 'live' }));
    if (more.template) done(await templates.link(slug, more.template, operator));
  }
  const about =
    'We build exchanges, drops and boards for teams that want to ship this week.\n\nQuestions? Write to [hello@lovelace.example](mailto:hello@lovelace.example).';
  const page = { userId: seller.user.id, slug: 'lovelace-labs', name: 'Lovelace Labs', about, updatedAt: clock.now() };
  const told = event('user.seller_page_saved', seller.user.email, { actor: seller.user.email }, clock.now(), {
    slug: page.slug,
  });
  await sellerPages.change(seller.user.id, () => ({ after: page, event: told }));
  return key.secret;
}
