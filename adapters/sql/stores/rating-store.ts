import type { Knex } from 'knex';
import { type ProductId, toOrderId, toProductId, toRatingId } from '../../../core/id.ts';
import type { RatingStore } from '../../../core/ports/rating-store.ts';
import { isShown, mostStars, type Rating, type RatingState } from '../../../core/ratings/rating.ts';
import { comparableId, type Database } from '../database.ts';
import { record } from './audit-log.ts';
import { changeRow } from './change-row.ts';
import { findRow } from './find-row.ts';
import { tell } from './tell.ts';

interface RatingRow {
  readonly id: number;
  readonly product_id: number;
  readonly order_id: number;
  readonly buyer_email: string;
  readonly stars: number;
  readonly name: string | null;
  readonly text: string;
  readonly state: string;
  readonly reply: string | null;
  readonly replied_at: number | null;
  readonly report: string | null;
  readonly created_at: number;
  readonly changed_at: number;
}

/** How many ratings with 1, 2, 3, 4 and 5 stars a product has. */
type StarsRow = Readonly<Record<`of_${number}`, number>> & { readonly product_id: number };

const table = 'ratings';
const columns = Array.from({ length: mostStars }, (_, at) => `of_${at + 1}` as const);

export function createSqlRatingStore({ read, write }: Pick<Database, 'read' | 'write'>): RatingStore {
  const { findById, findWhere } = findRow(read, table, toRating);
  return {
    findById,
    findOf: (productId, buyerEmail) => findWhere({ product_id: productId, buyer_email: buyerEmail }),
    async list({ productId, states, before, limit }) {
      // Each state is read in the order of its index. All at once would have to be sorted.
      const found = await Promise.all(
        states.map((state) =>
          read<RatingRow[]>((knex) =>
            knex<RatingRow>(table)
              .where({ state })
              .modify((query) => {
                if (productId !== undefined) query.where('product_id', productId);
                if (before !== undefined) query.where('id', '<', comparableId(before));
              })
              .orderBy('id', 'desc')
              .limit(limit),
          ),
        ),
      );
      const newest = found.flat().sort((one, other) => other.id - one.id);
      return newest.slice(0, limit).map(toRating);
    },
    async counts(productIds) {
      const rows: StarsRow[] =
        productIds.length === 0 ? [] : await read((knex) => knex('product_stars').whereIn('product_id', productIds));
      const counted = rows.map((row) => [toProductId(row.product_id), columns.map((name) => row[name] ?? 0)] as const);
      return new Map(counted.filter(([, counts]) => counts.some((count) => count > 0)));
    },
    add: (rating, event, news) =>
      write(async (trx) => {
        const rows: RatingRow[] = await trx(table)
          .insert(toRow(rating))
          .onConflict(['product_id', 'buyer_email'])
          .ignore()
          .returning('*');
        const [added] = rows.map(toRating);
        if (added === undefined) return undefined;
        await count(trx, added.productId, undefined, added);
        await record(trx, [event]);
        await tell(trx, news);
        return added;
      }),
    change: changeRow(write, table, toRating, toRow, (trx, before, after) =>
      count(trx, after.productId, before, after),
    ),
  };
}

/** Counts one rating as it is now, and no longer as it was. */
async function count(
  trx: Knex.Transaction,
  productId: ProductId,
  before: Rating | undefined,
  after: Rating,
): Promise<void> {
  const change = new Map<number, number>();
  if (before && isShown(before)) change.set(before.stars, -1);
  if (isShown(after)) change.set(after.stars, (change.get(after.stars) ?? 0) + 1);
  const changed = [...change].filter(([, by]) => by !== 0);
  if (changed.length === 0) return;
  await trx('product_stars').insert({ product_id: productId }).onConflict('product_id').ignore();
  await trx('product_stars')
    .where({ product_id: productId })
    .update(Object.fromEntries(changed.map(([stars, by]) => [`of_${stars}`, trx.raw('?? + ?', [`of_${stars}`, by])])));
}

function toRating(row: RatingRow): Rating {
  return {
    id: toRatingId(row.id),
    productId: toProductId(row.product_id),
    orderId: toOrderId(row.order_id),
    buyerEmail: row.buyer_email,
    stars: row.stars,
    name: row.name,
    text: row.text,
    state: row.state as RatingState,
    reply: row.reply,
    repliedAt: row.replied_at,
    report: row.report,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

function toRow(rating: Omit<Rating, 'id'>): Omit<RatingRow, 'id'> {
  return {
    product_id: rating.productId,
    order_id: rating.orderId,
    buyer_email: rating.buyerEmail,
    stars: rating.stars,
    name: rating.name,
    text: rating.text,
    state: rating.state,
    reply: rating.reply,
    replied_at: rating.repliedAt,
    report: rating.report,
    created_at: rating.createdAt,
    changed_at: rating.changedAt,
  };
}
