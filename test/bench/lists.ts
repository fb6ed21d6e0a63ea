import type { Knex } from 'knex';
import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { ProductId } from '../../core/id.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { compareAudit, compareUsers, fillForAdministrators } from './administrator-lists.ts';
import { compare, type List, numbers } from './compare.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import { type Running, withLatchkey } from './processes.ts';
import { addSeller, type Seller, settle, withParts } from './seed.ts';

export interface Lists {
  /** The number of rows of other owners. */
  readonly sizes: Readonly<Record<'few' | 'many', number>>;
  readonly all: readonly List[];
}

/** Measures each list with few and with many rows of other owners, or with few and many users. The times should be about the same. */
export async function measureLists(
  folder: TemporaryFolder,
  databases: Databases,
  sizes: Lists['sizes'],
  tell: (line: string) => void,
): Promise<Lists> {
  const all: List[] = [];
  for (const kind of databases.kinds) {
    const fill = async (others: number) => {
      tell(`lists: ${others} products and licenses of other owners for ${kind}`);
      return await makeMarket(await databases.create(kind), others);
    };
    const [few, many] = [await fill(sizes.few), await fill(sizes.many)];
    all.push(...(await compareProducts(folder, kind, few, many)), await compareLicenses(kind, few, many));
    all.push(...(await compareUsers(kind, few, many)), ...(await compareAudit(kind, few, many)));
  }
  return { sizes, all };
}

/** A database with the lists of one seller and one product. */
export interface Market {
  readonly url: string;
  readonly seller: Seller;
  /** The product whose licenses are listed. */
  readonly productId: ProductId;
}

/** The number of the seller's products, and of the product's licenses. */
const own = 60;
/** The default size of a page. */
const perPage = 15;
const otherOwners = 1_000;

async function makeMarket(url: string, others: number): Promise<Market> {
  return await withParts(url, async (parts) => {
    const seller = await addSeller(parts);
    const { id: productId } = good(
      await (await parts.get(t.products)).add({ title: 'Listed', ownerId: null }, operator),
    );
    await fill(parts, seller.id, productId, others);
    await settle(parts);
    return { url, seller, productId };
  });
}

/** Spreads the listed rows evenly among the others, as in a database that has grown over time. */
async function fill(parts: Parts, sellerId: number, productId: number, others: number): Promise<void> {
  const database = await parts.get(t.database);
  await fillForAdministrators(database, Math.max(others, otherOwners), others);
  for (let turn = 0; turn < own; turn++) {
    const from = Math.round((turn * others) / own) + 1;
    const to = Math.round(((turn + 1) * others) / own);
    await database.write(async (trx) => {
      await insertProducts(trx, 'other', from, to, `${sellerId + 1} + number % ${otherOwners}`);
      await insertProducts(trx, 'own', turn, turn, `${sellerId}`);
    });
    await database.write(async (trx) => {
      await insertLicenses(trx, 'OTHER', from, to, `${productId + 1} + number % ${to}`);
      await insertLicenses(trx, 'OWN', turn, turn, `${productId}`);
    });
  }
}

async function insertProducts(trx: Knex.Transaction, name: string, from: number, to: number, owner: string) {
  await trx.raw(`${numbers(from, to)} INSERT INTO products
      (slug, title, owner_id, status, tagline, description, price, zip, thumbnail, created_at, updated_at)
    SELECT '${name}-' || number, 'Product', ${owner}, 'published', 'A product', 'A product that does something.', 4900,
      'products/${name}-' || number || '.zip', 'media/${name}-' || number || '.png', 0, 0 FROM numbers`);
}

async function insertLicenses(trx: Knex.Transaction, name: string, from: number, to: number, product: string) {
  await trx.raw(`${numbers(from, to)} INSERT INTO licenses (key, product_id, standing, max_domains, created_at)
    SELECT 'LIC-${name}-' || number, ${product}, 'active', 1, 0 FROM numbers`);
}

/** The first and the last page of `GET /api/marketplace/my-products`. */
async function compareProducts(
  folder: TemporaryFolder,
  kind: DatabaseKind,
  few: Market,
  many: Market,
): Promise<List[]> {
  const settings = ({ url }: Market) => ({ DATABASE_URL: url, RATE_LIMIT_URL: 'off:' });
  return await withLatchkey(folder, settings(few), (fewer) =>
    withLatchkey(folder, settings(many), async (more) => {
      const list = (page: number) =>
        compare(
          `${kind}: my-products, page ${page}`,
          listProducts(fewer, few.seller, page),
          listProducts(more, many.seller, page),
        );
      return [await list(1), await list(own / perPage)];
    }),
  );
}

function listProducts({ port }: Running, { apiKey }: Seller, page: number): () => Promise<void> {
  const url = `http://127.0.0.1:${port}/api/marketplace/my-products?page=${page}`;
  return async () => {
    const response = await fetch(url, { headers: { 'X-API-Key': apiKey } });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`my-products returned ${response.status} ${text}`);
    const { data, total } = JSON.parse(text);
    if (data.length !== perPage || total !== own) throw new Error(`my-products returned ${data.length} of ${total}`);
  };
}

/** The licenses of one product, as `license list` reads them. */
async function compareLicenses(kind: DatabaseKind, few: Market, many: Market): Promise<List> {
  const listOf = async (parts: Parts, { productId }: Market) => {
    const store = await parts.get(t.licenseStore);
    return async () => {
      const { length } = await store.list({ productId, limit: 50 });
      if (length !== 50) throw new Error(`The list contains ${length} licenses.`);
    };
  };
  return await withParts(few.url, (fewer) =>
    withParts(many.url, async (more) =>
      compare(`${kind}: licenses of a product`, await listOf(fewer, few), await listOf(more, many)),
    ),
  );
}
