import type { Knex } from 'knex';
import { isPostgres } from '../../adapters/sql/database.ts';
import { addNoteTexts } from '../../adapters/sql/stores/license-notes.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { toUserId } from '../../core/id.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Seller } from '../../core/selling/seller.ts';
import { operator } from '../support/by.ts';
import { numbers } from './compare.ts';
import { mintBindings, settle, withParts } from './seed.ts';

/** The number of licenses of two sellers. It is the same in a small and in a large database. */
const owned = { few: 60, many: 4_000 } as const;
/** `other` stands for many other sellers. */
type Owner = keyof typeof owned | 'other';
const users = { few: 1, many: 2 } as const satisfies Record<keyof typeof owned, number>;
const sellers = 1_000;

const linesAtOnce = 20_000;
const day = 86_400_000;

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

/** A license and the texts by which it is found. */
export interface Line {
  readonly key: LicenseKey;
  readonly domain: string;
  readonly email: string;
  readonly reference: string;
  readonly name: string;
  readonly product: number;
  readonly standing: 'active' | 'suspended' | 'revoked';
  readonly expiresAt: number | null;
}

/** Fills a new database with this number of licenses. Their times are relative to `now`. */
export async function makeSearchMarket(
  url: string,
  licenses: number,
  seed: number,
  now: number,
): Promise<SearchMarket> {
  const lines = linesOf(licenses, seed, now);
  await withParts(url, async (parts) => {
    const database = await parts.get(t.database);
    await database.write(insertSellers);
    for (let from = 0; from < lines.length; from += linesAtOnce) {
      const some = lines.slice(from, from + linesAtOnce);
      await database.write((trx) => insertLines(trx, some));
    }
    await settle(parts);
  });
  const sample = (owner: Owner) => {
    const found = lines.find(({ reference }) => reference === `order-${owner}-7`);
    if (found === undefined) throw new Error(`The sample of ${owner} is missing.`);
    return found;
  };
  return { url, samples: { few: sample('few'), many: sample('many'), other: sample('other') } };
}

/** Spreads the licenses of the two sellers evenly among the others, as in a database that has grown over time. */
function linesOf(licenses: number, seed: number, now: number): Line[] {
  const [everyFew, everyMany] = [Math.floor(licenses / owned.few), Math.floor(licenses / owned.many)];
  const made = { few: 0, many: 0, other: 0 };
  return mintBindings(licenses, seed).map(({ key }, index) => {
    const isFew = index % everyFew === 0 && made.few < owned.few;
    const isMany = index % everyMany === 1 && made.many < owned.many;
    const owner: Owner = isFew ? 'few' : isMany ? 'many' : 'other';
    const nth = made[owner]++;
    // Each seller has two products.
    const user = owner === 'other' ? 3 + (nth % (sellers - 2)) : users[owner];
    return {
      key: key as LicenseKey,
      domain: `site-${owner}-${nth}.example.com`,
      email: `holder-${owner}-${nth}@mail.example.com`,
      reference: `order-${owner}-${nth}`,
      name: `Holder ${nth}`,
      product: 2 * user - (nth % 2),
      standing: nth % 20 === 3 ? 'suspended' : nth % 20 === 4 ? 'revoked' : 'active',
      expiresAt: nth % 3 === 0 ? null : now + ((nth % 100) - 20) * day,
    };
  });
}

async function insertSellers(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`${numbers(1, sellers)} INSERT INTO users (id, name, email, tier, created_at)
    SELECT number, 'Seller', 'seller-' || number || '@example.com', 'pro', 0 FROM numbers`);
  await trx.raw(`${numbers(1, 2 * sellers)} INSERT INTO products
      (id, slug, title, owner_id, is_live, status, tagline, description, price, created_at, updated_at)
    SELECT number, 'product-' || number, 'Product', (number + 1) / 2, 1, 'published', 'A product', 'A product.', 4900, 0, 0
    FROM numbers`);
}

async function insertLines(trx: Knex.Transaction, lines: readonly Line[]): Promise<void> {
  const rows = JSON.stringify(
    lines.map((line) => [
      line.key,
      line.domain,
      line.product,
      line.standing,
      line.expiresAt,
      line.email,
      line.name,
      line.reference,
    ]),
  );
  const given = isPostgres(trx) ? 'jsonb_array_elements(?::jsonb) AS r (value)' : 'json_each(?) AS r';
  const [integer, bigint] = ['integer', 'bigint'].map((type) => (n: number) => `CAST(r.value ->> ${n} AS ${type})`);
  await trx.raw(
    `INSERT INTO licenses (key, product_id, standing, expires_at, holder_email, holder_name, reference,
       max_domains, domains_used, activations_made, created_at)
     SELECT r.value ->> 0, ${integer?.(2)}, r.value ->> 3, ${bigint?.(4)}, r.value ->> 5, r.value ->> 6, r.value ->> 7,
       3, 1, 1, 0 FROM ${given}`,
    [rows],
  );
  await trx.raw(
    `INSERT INTO activations (license_id, domain, ordinal, activated_at)
     SELECT l.id, r.value ->> 1, 1, 0 FROM ${given} JOIN licenses AS l ON l.key = r.value ->> 0`,
    [rows],
  );
  await addNoteTexts(
    trx,
    lines.map(({ key, email, name, reference }) => ({
      key,
      notes: { holder: { email, name }, reference, metadata: {} },
    })),
  );
}
