import type { Knex } from 'knex';
import type { SoldTier } from '../../../core/accounts/tier.ts';
import { type ProductId, toUserId, type UserId } from '../../../core/id.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { PaidPlan, PaidPlans, PlanProducts } from '../../../core/ports/paid-plans.ts';
import { type Database, isRowId } from '../database.ts';
import { changeIn } from './change-row.ts';
import { keepFindable, toUser, toUserRow } from './user-rows.ts';

const users = { name: 'users', fromRow: toUser, toRow: toUserRow };

/** A license that pays a plan. */
interface PayingRow {
  readonly product_id: number;
  readonly expires_at: number | null;
  readonly token: string;
}

export function createSqlPaidPlans({
  read,
  readStale = read,
  write,
}: Pick<Database, 'read' | 'readStale' | 'write'>): PaidPlans {
  return {
    async differing(products, now, most) {
      const ids: number[] = await readStale((knex) => findDiffering(knex, products, now, most));
      return ids.map(toUserId);
    },

    change: (id, products, now, decide) =>
      write(async (trx) => {
        if (!isRowId(id)) return;
        // Before the licenses are read, so that each process sees what the one before it has seen, and later facts.
        await trx('users').where({ id }).forUpdate().first('id');
        const paid = await findPaid(trx, id, products, now);
        const decideWith = (before: ReturnType<typeof toUser>) => decide(before, paid?.tier ?? null);
        await changeIn(trx, users, id, decideWith, (inner) => keepFindable(inner, id));
      }),

    find: async (id, products, now) =>
      isRowId(id) ? await read((knex) => findPaid(knex, id, products, now)) : undefined,
  };
}

async function findPaid(knex: Knex, id: UserId, products: PlanProducts, now: Instant): Promise<PaidPlan | undefined> {
  const sold = Object.values(products);
  if (sold.length === 0) return undefined;
  const rows: PayingRow[] = await paying(knex, sold, now)
    .where('o.buyer_id', id)
    .select('o.product_id', 'o.token', 'l.expires_at');
  const isEnterprise = ({ product_id: product }: PayingRow) => product === products.enterprise;
  const best = rows.toSorted(
    (a, b) => Number(isEnterprise(b)) - Number(isEnterprise(a)) || endOf(b) - endOf(a) || (a.token < b.token ? -1 : 1),
  )[0];
  if (best === undefined) return undefined;
  const tier: SoldTier = isEnterprise(best) ? 'enterprise' : 'pro';
  return { tier, expiresAt: best.expires_at, token: best.token };
}

/** So that a comparison of two that never end is no `NaN`. */
function endOf({ expires_at: at }: PayingRow): number {
  return at ?? Number.MAX_SAFE_INTEGER;
}

/** The orders of these products whose licenses are valid, with their licenses. */
function paying(knex: Knex, products: readonly ProductId[], now: Instant): Knex.QueryBuilder {
  return knex('orders as o')
    .join('licenses as l', 'l.key', 'o.license_key')
    .whereIn('o.product_id', products)
    .where({ 'o.is_live': 1, 'l.standing': 'active' })
    .where((valid) => valid.whereNull('l.expires_at').orWhere('l.expires_at', '>', now));
}

function findDiffering(knex: Knex, products: PlanProducts, now: Instant, most: number): Knex.QueryBuilder {
  const unpaid = knex('users as u').whereNotNull('u.paid_tier').select('u.id').limit(most);
  const sold = Object.values(products);
  if (sold.length === 0) return unpaid.pluck('u.id');
  const tierOfOrder = knex.raw('MAX(CASE WHEN o.product_id = ? THEN 2 ELSE 1 END) AS height', [
    products.enterprise ?? 0,
  ]);
  const stored = "CASE u.paid_tier WHEN 'enterprise' THEN 2 WHEN 'pro' THEN 1 ELSE 0 END";
  const height = paying(knex, sold, now)
    .whereNotNull('o.buyer_id')
    .groupBy('o.buyer_id')
    .select('o.buyer_id as id', tierOfOrder);
  const given = knex('paid').join('users as u', 'u.id', 'paid.id').whereRaw(`paid.height <> ${stored}`);
  const over = knex('users as u')
    .whereNotNull('u.paid_tier')
    .whereNotExists(knex('paid').whereRaw('paid.id = u.id').select(knex.raw('1')));
  return knex
    .with('paid', height)
    .from(given.select('u.id').unionAll(over.select('u.id')).as('differing'))
    .limit(most)
    .pluck('differing.id');
}
