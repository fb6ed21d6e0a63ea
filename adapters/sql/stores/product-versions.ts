import type { Knex } from 'knex';
import type { ProductId } from '../../../core/id.ts';
import {
  type DeletableVersion,
  firstVersion,
  type NewVersion,
  type ProductVersion,
} from '../../../core/marketplace/product-version.ts';
import type { VersionPage, VersionWish } from '../../../core/ports/product-store.ts';
import { claimingStates } from '../../../core/purchases/order.ts';
import { comparableId, isPostgres, isRowId, returned } from '../database.ts';
import { cells, given, jsonOf } from '../json-rows.ts';
import type { ProductRow } from '../product-rows.ts';

interface VersionRow {
  readonly product_id: number;
  readonly ordinal: number;
  readonly number: string;
  readonly notes: string;
  readonly zip: string;
  readonly size: number | null;
  readonly created_at: number;
  /** 1 if it is for licenses whose updates have ended, too. */
  readonly for_everybody: number | null;
}

const versions = (knex: Knex) => knex<VersionRow>('product_versions');

/** Newest first. */
export async function listVersions(
  knex: Knex,
  id: ProductId,
  { before, limit }: VersionPage,
): Promise<ProductVersion[]> {
  if (!isRowId(id)) return [];
  const rows = await versions(knex)
    .where({ product_id: id })
    .modify((query) => {
      if (before !== undefined) query.where('ordinal', '<', comparableId(before));
    })
    .orderBy('ordinal', 'desc')
    .limit(limit);
  if (rows.length > 0) return rows.map(toVersion);
  const missing = await missingVersion(knex, id);
  return missing === undefined || (before !== undefined && before <= missing.ordinal) ? [] : [missing];
}

/** Returns the version with this number, or the newest one. */
export async function findVersion(
  knex: Knex,
  id: ProductId,
  number: string | undefined,
): Promise<ProductVersion | undefined> {
  if (!isRowId(id)) return undefined;
  const row = await versions(knex)
    .where({ product_id: id, ...(number !== undefined && { number }) })
    .orderBy('ordinal', 'desc')
    .first();
  if (row !== undefined) return toVersion(row);
  const missing = await missingVersion(knex, id);
  return number === undefined || number === missing?.number ? missing : undefined;
}

/** `ProductStore.hasFile`. */
export async function hasFile(knex: Knex, id: ProductId, zip: string): Promise<boolean> {
  if (!isRowId(id)) return false;
  const found = await versions(knex).where({ product_id: id, zip }).first('ordinal');
  return found !== undefined || (await missingVersion(knex, id))?.zip === zip;
}

/** `ProductStore.newestFor`. */
export async function newestFor(knex: Knex, wishes: readonly VersionWish[]): Promise<(string | undefined)[]> {
  const json = jsonOf(
    wishes.map(({ productId, agreed, updatesUntil }, at) => [at, comparableId(productId), agreed, updatesUntil]),
  );
  const columns = { at: 'integer', product_id: 'integer', agreed: 'text', until: 'bigint' };
  const rows = await knex
    .with('w', Object.keys(columns), knex.raw(`SELECT ${cells(columns)} FROM ?`, [given(knex, json)]))
    .from('w')
    .join('products as p', 'p.id', 'w.product_id')
    .select('w.at')
    .select<{ at: number; number: string | null }[]>(
      // Also what `missingVersion` returns.
      knex.raw(`(SELECT v.number FROM (
          SELECT ordinal, number, created_at, for_everybody FROM product_versions WHERE product_id = w.product_id
          UNION ALL SELECT 1, '${firstVersion}', p.created_at, NULL WHERE p.zip IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM product_versions AS n WHERE n.product_id = p.id)) AS v
        WHERE v.ordinal >= coalesce(
          (SELECT f.ordinal FROM product_versions AS f WHERE f.product_id = w.product_id AND f.number = w.agreed), 1)
        AND (p.is_approved = 1 OR p.status = 'published' OR v.number = w.agreed)
        AND (w.until IS NULL OR v.created_at <= w.until OR v.for_everybody = 1 OR v.number = w.agreed)
        ORDER BY v.ordinal DESC LIMIT 1) AS number`),
    );
  const numbers = new Map(rows.map(({ at, number }) => [at, number ?? undefined]));
  return wishes.map((_, at) => numbers.get(at));
}

/** Returns the numbers of all versions, oldest first. The product's row must be locked. */
export async function versionNumbers(trx: Knex.Transaction, id: ProductId): Promise<string[]> {
  const missing = isRowId(id) ? await missingVersion(trx, id) : undefined;
  if (missing !== undefined) await versions(trx).insert(toRow(id, missing));
  return isRowId(id) ? await versions(trx).where({ product_id: id }).orderBy('ordinal').pluck('number') : [];
}

/** Stores a version after the others, in the transaction that changes the product. */
export async function insertVersion(
  trx: Knex.Transaction,
  id: ProductId,
  version: NewVersion,
): Promise<ProductVersion> {
  const ordinal = ((await newestOrdinal(trx, id)) ?? 0) + 1;
  return toVersion(
    returned(
      await versions(trx)
        .insert(toRow(id, { ...version, ordinal }))
        .returning('*'),
    ),
  );
}

async function newestOrdinal(trx: Knex.Transaction, id: ProductId): Promise<number | undefined> {
  return (await versions(trx).where({ product_id: id }).orderBy('ordinal', 'desc').first('ordinal'))?.ordinal;
}

/** Returns a version with what forbids to delete it. The product's row must be locked. */
export async function findDeletable(
  trx: Knex.Transaction,
  id: ProductId,
  number: string,
): Promise<DeletableVersion | undefined> {
  const row = isRowId(id) ? await versions(trx).where({ product_id: id, number }).first() : undefined;
  if (row === undefined) return undefined;
  // During an upgrade, an older process can give the newest version an ordinal that a deleted one had.
  const { zip } = (await trx<ProductRow>('products').where({ id }).first('zip')) ?? {};
  const isNewest = row.zip === zip || row.ordinal === (await newestOrdinal(trx, id));
  return { version: toVersion(row), isNewest, isClaimed: await isClaimed(trx, id, number) };
}

export async function deleteVersion(trx: Knex.Transaction, id: ProductId, ordinal: number): Promise<void> {
  await versions(trx).where({ product_id: id, ordinal }).delete();
}

/** Whether an order agreed on this version, and its buyer can use it or may be able to later. */
export async function isClaimed(knex: Knex, id: ProductId, number: string): Promise<boolean> {
  // The first one is that of the index.
  const [version, onRefund] = isPostgres(knex)
    ? ["(agreed::json ->> 'version')", "(agreed::json #>> '{terms,onRefund}')"]
    : ["json_extract(agreed, '$.version')", "json_extract(agreed, '$.terms.onRefund')"];
  const order = await knex('orders')
    .where({ product_id: id })
    .whereRaw(`${version} = ?`, [number])
    .where((claiming) =>
      claiming
        .whereIn('state', claimingStates('revoke'))
        .orWhere((kept) => kept.whereIn('state', claimingStates('keep')).whereRaw(`${onRefund} = 'keep'`)),
    )
    .first('id');
  return order !== undefined;
}

/** An older process of an upgrade stores products without their first version. Returns this version. */
async function missingVersion(knex: Knex, id: ProductId): Promise<ProductVersion | undefined> {
  const isThere = versions(knex).where({ product_id: id });
  const product = await knex<ProductRow>('products').where({ id }).whereNotExists(isThere).first('zip', 'created_at');
  if (product === undefined || product.zip === null) return undefined;
  return { ordinal: 1, number: firstVersion, notes: '', zip: product.zip, size: null, createdAt: product.created_at };
}

function toRow(id: ProductId, { createdAt, isForEverybody = false, ...same }: ProductVersion): VersionRow {
  return { ...same, product_id: id, created_at: createdAt, for_everybody: isForEverybody ? 1 : null };
}

function toVersion({ ordinal, number, notes, zip, size, created_at, for_everybody }: VersionRow): ProductVersion {
  const isForEverybody = for_everybody === 1;
  return { ordinal, number, notes, zip, size, createdAt: created_at, ...(isForEverybody && { isForEverybody }) };
}
