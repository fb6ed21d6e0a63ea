import type { Knex } from 'knex';
import { toUserId } from '../../../core/id.ts';
import type { SellerPageStore } from '../../../core/ports/seller-page-store.ts';
import { isRefused, refuse } from '../../../core/refusal.ts';
import type { SellerPage } from '../../../core/sellers/seller-page.ts';
import { holdLock } from '../advisory-locks.ts';
import type { Database } from '../database.ts';
import { record } from './audit-log.ts';
import { tell } from './tell.ts';

interface SellerPageRow {
  readonly user_id: number;
  readonly slug: string;
  readonly name: string;
  readonly about: string;
  readonly updated_at: number;
}

const table = (knex: Knex) => knex<SellerPageRow>('seller_pages');

export function createSqlSellerPageStore({ read, write }: Pick<Database, 'read' | 'write'>): SellerPageStore {
  const find = async (where: Partial<SellerPageRow>) => {
    const row = await read((knex) => table(knex).where(where).first());
    return row && toPage(row);
  };
  return {
    findOf: (userId) => find({ user_id: userId }),
    findBySlug: (slug) => find({ slug }),
    async listed(limit) {
      const rows = await read((knex) =>
        table(knex)
          .join('users', 'users.id', 'seller_pages.user_id')
          .whereNull('users.suspended_at')
          .orderBy('seller_pages.user_id')
          .limit(limit)
          .select('seller_pages.slug', 'seller_pages.updated_at'),
      );
      return rows.map(({ slug, updated_at }) => ({ slug, updatedAt: updated_at }));
    },
    change: (userId, decide) =>
      write(async (trx) => {
        // Two sellers cannot take the same address at the same moment. SQLite has only one writer.
        await holdLock(trx, 'sellerPages');
        const row = await table(trx).where({ user_id: userId }).first();
        const before = row && toPage(row);
        const decision = decide(before);
        if (isRefused(decision)) return decision;
        const { after, event } = decision;
        if (event === undefined) return after;
        const taken = await table(trx).where({ slug: after.slug }).whereNot({ user_id: userId }).first('user_id');
        if (taken !== undefined) return refuse('slug_taken');
        const { slug, name, about, updatedAt } = after;
        await table(trx)
          .insert({ user_id: userId, slug, name, about, updated_at: updatedAt })
          .onConflict('user_id')
          .merge();
        await record(trx, [event]);
        await tell(trx, decision);
        return after;
      }),
  };
}

function toPage({ user_id, slug, name, about, updated_at }: SellerPageRow): SellerPage {
  return { userId: toUserId(user_id), slug, name, about, updatedAt: updated_at };
}
