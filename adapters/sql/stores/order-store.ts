import type { Knex } from 'knex';
import { type OrderId, toOrderId } from '../../../core/id.ts';
import type { NewOrder, OrderStore } from '../../../core/ports/order-store.ts';
import { isUsable, usableStates } from '../../../core/purchases/order.ts';
import { type Refused, refuse } from '../../../core/refusal.ts';
import { comparableId, type Database, returned } from '../database.ts';
import { createTurnsByKey } from '../turns-by-key.ts';
import { addWorkAnew, addWorkFor } from './add-work.ts';
import { record } from './audit-log.ts';
import { noteCouponUse, useCoupon } from './coupon-uses.ts';
import { findRow } from './find-row.ts';
import { readPeriods } from './license-periods.ts';
import { type LicenseRow, toLicense } from './license-rows.ts';
import { changeOrder, readParts } from './order-changes.ts';
import { forgetOrders } from './order-forget.ts';
import { byCoupon, newOrderRow, type OrderRow, toOrder, trialHolderOf } from './order-rows.ts';
import { countToDo, ordersOfBuyer, revenueByDay, searchOrders } from './order-search.ts';
import { recurringIn, subscriptionsByLicense } from './order-subscriptions.ts';
import { replaceOrderTexts } from './order-texts.ts';
import { findByAnyKey, nameByPresentKey } from './orders-of-license.ts';
import { tell } from './tell.ts';

const mostUnclaimed = 100;

type CouponRefused = Refused<'coupon_used_up' | 'unknown_coupon'>;

/** Rolls the transaction back: what it has changed for an order that is refused must not stay. */
class RolledBack extends Error {
  override readonly name = 'RolledBack';
  readonly refused: CouponRefused;

  constructor(refused: CouponRefused) {
    super(refused.reason);
    this.refused = refused;
  }
}

export function createSqlOrderStore(database: Database): OrderStore {
  const { read, readStale = read, write } = database;
  const { findWhere, findById } = findRow(read, 'orders', toOrder);
  const inTurn = createTurnsByKey<OrderId>('order');

  async function writeOrRefuse<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T | CouponRefused> {
    try {
      return await write(work);
    } catch (error) {
      if (error instanceof RolledBack) return error.refused;
      throw error;
    }
  }

  return {
    add: (order, event, lookAt, { newsOf, instead, parts = [], isProved = true } = {}) =>
      writeOrRefuse(async (trx) => {
        if (order.provider === 'free' && (await findFree(trx, order)) !== undefined) {
          return refuse('already_bought', 'You have this product already.');
        }
        // The unique index of the table refuses what two transactions add at once.
        const { provider, paymentId } = order;
        if (paymentId !== null && (await trx('orders').where({ provider, payment_id: paymentId }).first('id'))) {
          return refuse('already_bought', 'This payment has an order already.');
        }
        // An earlier order may have the last use of the same coupon.
        if (instead) await changeOrder(trx, instead.id, instead.decide);
        const refused = await useCoupon(trx, order, isProved);
        if (refused) throw new RolledBack(refused);
        const rows = await trx<OrderRow>('orders').insert(newOrderRow(order)).returning('*');
        const added = toOrder(returned(rows));
        await noteCouponUse(trx, added, isProved);
        await replaceOrderTexts(trx, undefined, added);
        for (const part of parts) {
          const row = newOrderRow({ ...part, partOf: added.id });
          const [stored] = await trx<OrderRow>('orders').insert(row).returning('*');
          if (stored) await replaceOrderTexts(trx, undefined, toOrder(stored));
        }
        await record(trx, [event]);
        await addWorkFor(trx, 'order', added.id, lookAt);
        const named = await nameByPresentKey(trx, added);
        if (newsOf) await tell(trx, newsOf(named));
        return named;
      }),
    find: findById,
    findByToken: (token) => findWhere({ token }),
    findByLicense: (key) => findWhere({ license_key: key }),
    partsOf: async (ids) => (ids.length === 0 ? [] : await read((knex) => readParts(knex, ids))),
    heldOf: (key) =>
      read(async (knex) => {
        const row: LicenseRow | undefined = await findByAnyKey(knex, key);
        if (row === undefined) return undefined;
        const periods = await readPeriods(knex.queryBuilder().where({ 'p.license_id': row.id }));
        return { license: toLicense(row), periods };
      }),
    findSubscription: (key) => read(async (knex) => (await subscriptionsByLicense(knex, [key])).get(key)),
    findBySubscription: (provider, id) => findWhere({ provider, subscription_id: id }),
    async cyclesOf(id) {
      const rows: OrderRow[] = await read((knex) => knex('orders').where({ cycle_of: id }).orderBy('id'));
      return rows.map(toOrder);
    },
    periodsOf: (key) =>
      read((knex) =>
        readPeriods(knex.queryBuilder().join('licenses as l', 'l.id', 'p.license_id').where({ 'l.key': key })),
      ),
    findFree: (order) => read((knex) => findFree(knex, order)),
    async findByPayment(provider, id) {
      return (await findWhere({ provider, payment_id: id })) ?? (await findWhere({ provider, intent_id: id }));
    },
    change: (id, decide) => inTurn(id, () => write((trx) => changeOrder(trx, id, decide))),
    lookAt: (id, at) => write((trx) => addWorkAnew(trx, 'order', id, at)),
    forget: (before, isForgotten) => forgetOrders(database, before, isForgotten),
    listOf: (buyerId, filter) => read((knex) => ordersOfBuyer(knex, buyerId, filter)),
    search: (filter) => readStale((knex) => searchOrders(knex, filter)),
    async listWaiting(most) {
      const rows = await readStale((knex) =>
        Promise.all(waitingRanges(knex).map((range): Promise<OrderRow[]> => range.orderBy('id').limit(most))),
      );
      return rows.flat().slice(0, most).map(toOrder);
    },
    async countWaiting(most) {
      const [row] = await readStale((knex) => {
        const some = waitingRanges(knex).map((range) =>
          knex.from(range.select('id').limit(most).as('some')).select('id'),
        );
        return knex.from(knex.unionAll(some).limit(most).as('waiting')).count({ count: '*' });
      });
      return Number(row?.count);
    },
    countToDo: (seller, most) => readStale((knex) => countToDo(knex, seller, most)),
    async findUnclaimed(userId, email) {
      const rows: { id: number }[] = await read((knex) => {
        const own = knex('orders as own')
          .whereRaw('own.product_id = orders.product_id AND own.by_coupon = orders.by_coupon')
          .where({ 'own.buyer_id': userId })
          .modify((query) => isFree(query, 'own'))
          .select(knex.raw('1'));
        return knex('orders')
          .where({ email, part_of: null })
          .whereNull('buyer_id')
          .whereNotNull('paid_at')
          .whereNot((taken) => taken.modify((query) => isFree(query, 'orders')).whereExists(own))
          .orderBy('id')
          .limit(mostUnclaimed)
          .select('id');
      });
      return rows.map(({ id }) => toOrderId(id));
    },
    async othersSell(userId) {
      const own = comparableId(userId);
      const found = await read((knex) => {
        const live = [
          ['products.owner_id', { is_live: 1, status: 'published', archived_at: null }],
          ['orders.seller_id', { is_live: 1 }],
        ] as const;
        const query = knex.queryBuilder().select(knex.raw('1 AS found'));
        for (const [column, where] of live) {
          const [table = ''] = column.split('.');
          const some = () => knex(table).where(where).select(knex.raw('1'));
          // Each reads a range of an index, without the rows of this account, which can be many.
          query.orWhereExists(some().where(column, '<', own));
          query.orWhereExists(some().where(column, '>', own));
          query.orWhereExists(some().whereNull(column));
        }
        return query;
      });
      return found.length > 0;
    },
    async findWithTemplate(userId, templateId) {
      const rows = await read((knex) =>
        knex<OrderRow>('orders')
          .where({ buyer_id: userId, template_id: templateId })
          .whereIn('state', usableStates('keep'))
          .orderBy('id', 'desc'),
      );
      return rows.map(toOrder).find(isUsable);
    },
    revenue: (filter) => readStale((knex) => revenueByDay(knex, filter)),
    recurring: (filter) => readStale((knex) => recurringIn(knex, filter)),
  };
}

/** The orders of which a buyer has at most one for each product, and one more by a coupon. As in the partial indexes of the table. */
function isFree(query: Knex.QueryBuilder, table: string): void {
  query.whereRaw(`${table}.provider = 'free' AND ${table}.state <> 'cancelled' AND ${table}.part_of IS NULL`);
}

/** The orders that wait for somebody. Each is a range of an index; the second one is the condition of a partial one. */
function waitingRanges(knex: Knex): Knex.QueryBuilder[] {
  return [
    knex('orders').whereIn('is_live', [0, 1]).where({ state: 'held', part_of: null }),
    knex('orders').whereRaw("provider = 'manual' AND state = 'open'").where({ part_of: null }),
  ];
}

/** The indexes of the table refuse what two transactions add at once. */
async function findFree(knex: Knex, { productId, buyer, agreed }: Pick<NewOrder, 'productId' | 'buyer' | 'agreed'>) {
  const trial = trialHolderOf({ agreed, buyer });
  const row: OrderRow | undefined = await knex('orders')
    .where({ product_id: productId, by_coupon: byCoupon({ agreed }) })
    .modify((query) => isFree(query, 'orders'))
    .where((its) => {
      its.where({ email: buyer.email });
      if (buyer.userId !== null) its.orWhere({ buyer_id: buyer.userId });
      if (trial !== null) its.orWhere({ trial_of: trial });
    })
    .orderBy('id')
    .first();
  return row && toOrder(row);
}
