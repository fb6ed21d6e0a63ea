import { fillCatalogue } from '../../adapters/sql/catalogue/entries.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { randomOf } from '../torture/random.ts';
import { settle, withParts } from './seed.ts';

const rowsAtOnce = 500;

/** The number of products with the word `rareword`, and with `described` in the description, in a small and in a large database. */
const rare = 20;

/** The number of different words in descriptions, and of the words in each of them. */
const described = { all: 5_000, each: 150 } as const;

/** A word of letters for a number, so that a search corrects a typo in it. */
const lettersOf = (number: number) => `d${[...String(number)].map((digit) => 'bcdfghjklm'[Number(digit)]).join('e')}`;

/**
 * Fills a new database with products. Shares are the same in each: all have `template`, half have `token`, a tenth `vault`.
 * The rest of the words is drawn from a vocabulary that grows with the number of products. Descriptions have 150 of 5,000 words,
 * 20 of them have `described`.
 */
export async function makeStorefront(url: string, products: number, seed: number): Promise<void> {
  const random = randomOf(seed);
  const pick = (count: number) => Math.floor(random() * count);
  const oneOf = (...values: readonly string[]) => values[pick(values.length)];
  const rows = Array.from({ length: products }, (_, index) => {
    const number = index + 1;
    const words = [
      'Template',
      `unique${number}only`,
      `word${pick(products)}`,
      `t${lettersOf(pick(products))}`,
      ...(number % 2 === 0 ? ['token'] : []),
      ...(number % 10 === 0 ? ['vault'] : []),
      ...(number % (products / rare) === 0 ? ['rareword'] : []),
    ];
    return {
      slug: `product-${number}`,
      title: words.join(' '),
      tagline: 'Ready to deploy',
      description: [
        ...Array.from({ length: described.each }, () => lettersOf(pick(described.all))),
        ...(number % (products / rare) === 1 ? ['described'] : []),
        ...(number % 3 === 0 ? ['often'] : []),
      ].join(' '),
      status: 'published',
      is_live: 1,
      is_approved: 1,
      price: pick(20_000) * 50,
      sold: pick(1_000),
      module: oneOf('token', 'nft', 'dex', 'dao'),
      category: oneOf('defi', 'tools', 'games', 'social', 'wallets'),
      blockchains: JSON.stringify([oneOf('Ethereum', 'Base', 'Solana'), 'Polygon']),
      is_supported: number % 3 === 0 ? 1 : 0,
      tags: JSON.stringify([`tag${pick(50)}`]),
      created_at: number,
      updated_at: number,
    };
  });
  await withParts(url, async (parts) => {
    await (await parts.get(t.database)).write(async (trx) => {
      for (let from = 0; from < rows.length; from += rowsAtOnce) {
        await trx('products').insert(rows.slice(from, from + rowsAtOnce));
      }
      await fillCatalogue(trx);
    });
    await settle(parts);
  });
}
