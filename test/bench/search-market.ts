import type { Knex } from 'knex';
import { t } from '../../apps/wiring/tokens.ts';
import { toUserId } from '../../core/id.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Seller } from '../../core/selling/seller.ts';
import { operator } from '../support/by.ts';
import { numbers } from './compare.ts';
import { fillLicenses } from './license-fill.ts';
import { settle, withParts } from './seed.ts';

/** The number of licenses of two sellers. It is the same in a small and in a large database. */
const owned = { few: 60, many: 4_000 } as const;
/** `other` stands for many other sellers. */
type Owner = keyof typeof owned | 'other';
const users = { few: 1, many: 2 } as const satisfies Record<keyof typeof owned, number>;
/** So that the number of licenses of each of the others is the same too. */
const licensesOfOthers = 100;

/** A database with the licenses of two known sellers among those of others. */
export interface SearchMarket {
  readonly url: string;
  /** A license of each owner, by which searches find it. */
  readonly samples: Readonly<Record<Owner, Line>>;
}

/** Somebody who searches: one of the two sellers, or an administrator, who sees the licenses of all. */
export const seekers = {
  few: sellerOf(users.few),
  many: sellerOf(users.many),
  all: { actor: operator, mode: 'live' },
} as const satisfies Record<string, Seller>;

function sellerOf(id: number): Seller {
  const user = { id: toUserId(id), email: `seller-${id}@example.com`, role: null, suspendedAt: null };
  return { actor: { kind: 'user', user }, mode: 'live' };
}

/** A license by which searches find it. */
export interface Line {
  readonly key: LicenseKey;
  readonly domain: string;
  readonly email: string;
  readonly reference: string;
  /** The id of its product. */
  readonly product: number;
}

/** Fills a new database with this number of licenses. Their times are relative to `now`. */
export async function makeSearchMarket(url: string, licenses: number, now: number): Promise<SearchMarket> {
  const sellers = licenses / licensesOfOthers;
  await withParts(url, async (parts) => (await parts.get(t.database)).write((trx) => insertSellers(trx, sellers)));
  const [everyFew, everyMany] = [Math.floor(licenses / owned.few), Math.floor(licenses / owned.many)];
  const isFew = `number % ${everyFew} = 0`;
  const isMany = `number % ${everyMany} = 1 AND number < ${everyMany * owned.many}`;
  // Spread evenly among the others, as in a database that has grown over time. Each seller has two products.
  await fillLicenses(url, {
    first: 1,
    last: licenses,
    owner: `CASE WHEN ${isFew} THEN 'few' WHEN ${isMany} THEN 'many' ELSE 'other' END`,
    nth: `CASE WHEN ${isFew} THEN number / ${everyFew} WHEN ${isMany} THEN number / ${everyMany} ELSE number END`,
    product: `2 * CASE owner WHEN 'few' THEN ${users.few} WHEN 'many' THEN ${users.many}
      ELSE 3 + nth % ${sellers - 2} END - nth % 2`,
    now,
  });
  return await withParts(url, async (parts) => {
    await settle(parts);
    const database = await parts.get(t.database);
    const [few, many, other] = await database.read((knex) =>
      // The last one is one of the first, so that pages by its product are not empty.
      Promise.all([7 * everyFew, 7 * everyMany + 1, 8].map((id) => lineOf(knex, id))),
    );
    if (!few || !many || !other) throw new Error('A sample is missing.');
    return { url, samples: { few, many, other } };
  });
}

/** Returns the license with this id. */
export async function lineOf(knex: Knex, id: number): Promise<Line> {
  return await knex('licenses as l').join('activations as a', 'a.license_id', 'l.id').where({ id }).first({
    key: 'l.key',
    domain: 'a.domain',
    email: 'l.holder_email',
    reference: 'l.reference',
    product: 'l.product_id',
  });
}

export async function insertSellers(trx: Knex.Transaction, sellers: number): Promise<void> {
  await trx.raw(`${numbers(1, sellers)} INSERT INTO users (id, name, email, tier, created_at)
    SELECT number, 'Seller', 'seller-' || number || '@example.com', 'pro', 0 FROM numbers`);
  await trx.raw(`${numbers(1, 2 * sellers)} INSERT INTO products
      (id, slug, title, owner_id, is_live, status, tagline, description, price, created_at, updated_at)
    SELECT number, 'product-' || number, 'Product', (number + 1) / 2, 1, 'published', 'A product', 'A product.', 4900, 0, 0
    FROM numbers`);
}
