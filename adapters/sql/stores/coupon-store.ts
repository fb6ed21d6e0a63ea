import type { Knex } from 'knex';
import type { CouponId } from '../../../core/id.ts';
import type { CouponFilter, CouponStore, CouponsOf } from '../../../core/ports/coupon-store.ts';
import { type Coupon, couponLimits } from '../../../core/purchases/coupon.ts';
import { isUsable, usableStates } from '../../../core/purchases/order.ts';
import { refuse } from '../../../core/refusal.ts';
import { holdLock } from '../advisory-locks.ts';
import { comparableId, type Database, returned } from '../database.ts';
import { record } from './audit-log.ts';
import { changeRow } from './change-row.ts';
import { type CouponRow, toCoupon, toCouponRow } from './coupon-rows.ts';
import { giveBackUse } from './coupon-uses.ts';
import { findRow } from './find-row.ts';
import { type OrderRow, toOrder } from './order-rows.ts';

const table = 'coupons';

export function createSqlCouponStore({ read, write }: Database): CouponStore {
  const { findById } = findRow<Coupon, CouponRow>(read, table, toCoupon);
  return {
    add: (coupon, event) =>
      write(async (trx) => {
        // So that two calls of one account count one after the other.
        if (coupon.sellerId !== null) await trx('users').where({ id: coupon.sellerId }).forUpdate().first('id');
        else await holdLock(trx, 'siteCoupons');
        const { code } = coupon;
        if ((await ofSeller(trx, coupon).where({ code }).first('id')) !== undefined) {
          return refuse('coupon_exists', `There is a coupon ${code} already. End it first, or choose another code.`);
        }
        const counted = await ofSeller(trx, coupon).count({ active: '*' }).first();
        if (Number(counted?.active) >= couponLimits.active) {
          return refuse(
            'too_many_coupons',
            `There can be ${couponLimits.active} coupons at once. End some that are not needed.`,
          );
        }
        const rows: CouponRow[] = await trx(table)
          .insert(toCouponRow({ ...coupon, uses: 0 }))
          .returning('*');
        await record(trx, [event]);
        return toCoupon(returned(rows));
      }),
    find: findById,
    async findByCode(of, code) {
      const row: CouponRow | undefined = await read((knex) => ofSeller(knex, of).where({ code }).first());
      return row && toCoupon(row);
    },
    hasAny: async (of) => (await read((knex) => ofSeller(knex, of).first('id'))) !== undefined,
    list: async (filter) => (await read((knex) => listed(knex, filter))).map(toCoupon),
    change: changeRow<CouponId, Coupon, CouponRow>(write, table, toCoupon, toCouponRow),
    giveBack: (order) => write((trx) => giveBackUse(trx, order)),
    async ordersWith(id, before, limit) {
      const rows: OrderRow[] = await read((knex) =>
        knex('coupon_uses as u')
          .join('orders as o', 'o.id', 'u.order_id')
          .where({ 'u.coupon_id': comparableId(id), 'u.given_back': 0 })
          .modify((query) => {
            if (before !== undefined) query.where('u.order_id', '<', comparableId(before));
          })
          .orderBy('u.order_id', 'desc')
          .limit(limit)
          .select('o.*'),
      );
      return rows.map(toOrder);
    },
    async owns(userId, productId) {
      const rows: OrderRow[] = await read((knex) =>
        knex('orders')
          .where({ buyer_id: comparableId(userId), product_id: comparableId(productId) })
          .whereNull('trial_of')
          .whereIn('state', usableStates('keep'))
          .orderBy('id', 'desc')
          .limit(100),
      );
      // Some products keep the license of a refunded order, others do not.
      return rows.map(toOrder).some((order) => isUsable(order));
    },
  };
}

/** The coupons of a seller that have not been ended. */
function ofSeller(knex: Knex, { sellerId, isLive }: CouponsOf): Knex.QueryBuilder {
  return knex(table)
    .where({ seller_id: sellerId, is_live: Number(isLive) })
    .whereNull('ended_at');
}

function listed(knex: Knex, { isLive, sellers, before, limit }: CouponFilter): Knex.QueryBuilder {
  return knex(table)
    .where({ is_live: Number(isLive) })
    .modify((query) => {
      if (sellers !== undefined) {
        query.where((its) => {
          for (const seller of sellers) its.orWhere({ seller_id: seller });
        });
      }
      if (before !== undefined) query.where('id', '<', comparableId(before));
    })
    .orderBy('id', 'desc')
    .limit(limit);
}
