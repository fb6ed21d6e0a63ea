import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import { freeSlug, type Product } from '../../../core/marketplace/product.ts';
import type { NewVersion, ProductVersion } from '../../../core/marketplace/product-version.ts';
import type { ProductFilter, ProductStore } from '../../../core/ports/product-store.ts';
import { isRefused, refuse } from '../../../core/refusal.ts';
import { builtOnce } from '../built-once.ts';
import { keepInCatalogue } from '../catalogue/entries.ts';
import { comparableId, type Database, isPostgres, isRowId, returned } from '../database.ts';
import {
  adaptedColumns,
  comparedColumns,
  type ProductRow,
  toAdapted,
  toCompared,
  toProduct,
  toRow,
} from '../product-rows.ts';
import { insertProductTexts, replaceProductTexts } from '../product-texts.ts';
import { record } from './audit-log.ts';
import { changeIn, changeRow } from './change-row.ts';
import { noteUnreferenced } from './file-references.ts';
import { findRow } from './find-row.ts';
import { searchProducts } from './product-search.ts';
import {
  deleteVersion,
  findDeletable,
  findVersion,
  hasFile,
  insertVersion,
  listVersions,
  newestFor,
  versionNumbers,
} from './product-versions.ts';
import { tell } from './tell.ts';
import { tellOfProduct } from './webhook-outbox.ts';

const adaptedRow = builtOnce<'', ProductRow | undefined, [number]>((knex, _, id) =>
  knex('products').where({ id }).select(adaptedColumns).first(),
);

/** That clients of EDD Software Licensing are let in under this id. The migration `0081-edd-items` indexes the first half. */
function eddItemIs(knex: Knex, itemId: number): [sql: string, values: (string | number)[]] {
  return isPostgres(knex)
    ? ["(adapters::json #>> '{edd,itemId}') = ? AND (adapters::json #>> '{edd,isOn}') = 'true'", [String(itemId)]]
    : ["json_extract(adapters, '$.edd.itemId') = ? AND json_extract(adapters, '$.edd.isOn')", [itemId]];
}

/** `ProductStore.add`, in a transaction. */
async function addProduct(
  trx: Knex.Transaction,
  ...[product, eventOf, version, newsOf]: Parameters<ProductStore['add']>
): Promise<Product> {
  const { slug } = product;
  const taken = new Set<string>(
    await trx<ProductRow>('products').where({ slug }).orWhereLike('slug', `${slug}-%`).pluck('slug'),
  );
  const row = returned(
    await trx<ProductRow>('products')
      .insert(toRow({ ...product, slug: freeSlug(slug, taken) }))
      .returning('*'),
  );
  const added = toProduct(row);
  await insertProductTexts(trx, added);
  await keepInCatalogue(trx, added);
  if (version !== undefined) await insertVersion(trx, added.id, version);
  const event = eventOf(row.slug);
  await record(trx, [event]);
  await tellOfProduct(trx, event, added);
  if (newsOf) await tell(trx, newsOf(added));
  return added;
}

export function createSqlProductStore({ read, readStale = read, write }: Database): ProductStore {
  const { findWhere, findById } = findRow(read, 'products', toProduct);
  return {
    add: (product, eventOf, version, newsOf) => write((trx) => addProduct(trx, product, eventOf, version, newsOf)),
    addWithoutFiles: (product, eventOf, most, newsOf) =>
      write(async (trx) => {
        const { ownerId } = product;
        // Whoever adds another one for this owner waits here. SQLite has only one writer.
        await trx('users').where({ id: ownerId }).forNoKeyUpdate().first('id');
        const some = await trx('products').where({ owner_id: ownerId, zip: null }).select('id').limit(most);
        if (some.length >= most) return refuse('too_many_bundles');
        return await addProduct(trx, product, eventOf, undefined, newsOf);
      }),
    findById,
    findBySlug: (slug) => findWhere({ slug }),
    async findAll(ids) {
      const rows = await read((knex) => knex<ProductRow>('products').whereIn('id', ids.map(comparableId)));
      return rows.map(toProduct);
    },
    async findAdapted(id) {
      const row = isRowId(id) ? await read((knex) => adaptedRow(knex, '', id)) : undefined;
      return row && toAdapted(row);
    },
    async findPublicEddItem(itemId) {
      // Without an order, which Postgres could take for a reason to read all products in it.
      const rows = await read((knex) =>
        knex<ProductRow>('products')
          .whereNotNull('adapters')
          .whereRaw(...eddItemIs(knex, itemId))
          .where({ status: 'published', is_live: 1 }),
      );
      const [oldest] = rows.sort((one, other) => one.id - other.id);
      return oldest && toProduct(oldest);
    },
    async withAdapters() {
      const rows = await read((knex) =>
        knex<ProductRow>('products')
          .whereNotNull('adapters')
          .select(...comparedColumns),
      );
      return rows.map(toCompared);
    },
    async list(filter, offset, limit) {
      const where = toWhere(filter);
      const rows = await readStale((knex) =>
        knex<ProductRow>('products')
          .where(where)
          .orderBy('id', filter.isOldestFirst ? 'asc' : 'desc')
          .offset(offset)
          .limit(limit),
      );
      const counted = await readStale((knex) => knex('products').where(where).count({ total: '*' }).first());
      return { items: rows.map(toProduct), total: Number(counted?.total) };
    },
    async countWaiting(most) {
      const [row] = await readStale((knex) => {
        const waiting = knex('products')
          .where(toWhere({ status: 'pending', isLive: true }))
          .select('id')
          .limit(most);
        return knex.from(waiting.as('waiting')).count({ count: '*' });
      });
      return Number(row?.count);
    },
    search: (filter) => readStale((knex) => searchProducts(knex, filter)),
    change: changeRow(write, table.name, toProduct, toRow, follow),
    addVersion: (id, decide) =>
      write(async (trx) => {
        if (isRowId(id)) await trx(table.name).where({ id }).forUpdate().first('id');
        const taken = await versionNumbers(trx, id);
        const wanted: NewVersion[] = [];
        const added: ProductVersion[] = [];
        const product = await changeIn(
          trx,
          table,
          id,
          (before) => {
            const decision = decide(before, taken);
            if (!isRefused(decision)) wanted.push(decision.version);
            return decision;
          },
          async (_, before, after, event) => {
            // The zip of the last version stays.
            await follow(trx, { ...before, zip: after.zip }, after, event);
            for (const version of wanted) added.push(await insertVersion(trx, id, version));
          },
        );
        return product === undefined || isRefused(product) ? product : { product, version: returned(added) };
      }),
    deleteVersion: (id, number, decide) =>
      write(async (trx) => {
        if (isRowId(id)) await trx(table.name).where({ id }).forUpdate().first('id');
        await versionNumbers(trx, id);
        const found = await findDeletable(trx, id, number);
        return await changeIn(
          trx,
          table,
          id,
          (before) => {
            const decided = decide(before, found);
            return isRefused(decided) ? decided : { after: before, event: decided };
          },
          async (_, product, __, event) => {
            if (found === undefined) return;
            await deleteVersion(trx, id, found.version.ordinal);
            await noteUnreferenced(trx, found.version.zip, event.at);
            await tellOfProduct(trx, event, product);
          },
        );
      }),
    versions: (id, page) => read((knex) => listVersions(knex, id, page)),
    newestFor: async (wishes) => (wishes.length === 0 ? [] : await read((knex) => newestFor(knex, wishes))),
    findVersion: (id, number) => read((knex) => findVersion(knex, id, number)),
    hasFile: (id, zip) => read((knex) => hasFile(knex, id, zip)),
  };
}

const table = { name: 'products', fromRow: toProduct, toRow };

/** Keeps up what depends on a product: its search texts and its place in the catalogue, the notes about files that nothing refers to, and webhooks. */
async function follow(trx: Knex.Transaction, before: Product, after: Product, event: Event): Promise<void> {
  for (const file of ['zip', 'thumbnail'] as const) {
    const key = before[file];
    if (key !== null && key !== after[file]) await noteUnreferenced(trx, key, event.at);
  }
  await replaceProductTexts(trx, after);
  await keepInCatalogue(trx, after);
  await tellOfProduct(trx, event, after);
}

function toWhere({ ownerId, isLive, status }: ProductFilter): Partial<ProductRow> {
  return {
    ...(ownerId !== undefined && { owner_id: ownerId }),
    ...(isLive !== undefined && { is_live: Number(isLive) }),
    ...(status !== undefined && { status }),
  };
}
