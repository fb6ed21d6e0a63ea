import type { Knex } from 'knex';
import type { UserId } from '../../../core/id.ts';
import type { WalletStore } from '../../../core/ports/wallet-store.ts';
import { isRefused } from '../../../core/refusal.ts';
import { emptyBook, type WalletBook } from '../../../core/usdc/wallet.ts';
import { holdLock } from '../advisory-locks.ts';
import type { Database } from '../database.ts';
import { record } from './audit-log.ts';
import { tell } from './tell.ts';

/** A row of `wallets`. `book` is JSON. The seller 0 is the operator. */
interface WalletRow {
  readonly seller_id: number;
  readonly book: string;
}

export function createSqlWalletStore({ read, write }: Pick<Database, 'read' | 'write'>): WalletStore {
  return {
    findOf: (seller) => read((knex) => readBook(knex, seller)),
    change: (seller, decide) =>
      write(async (trx) => {
        // A row that is not there yet cannot be locked. SQLite has only one writer.
        await holdLock(trx, 'wallets');
        const decision = decide(await readBook(trx, seller));
        if (isRefused(decision)) return decision;
        const { after, event } = decision;
        await trx<WalletRow>('wallets')
          .insert({ seller_id: seller ?? 0, book: JSON.stringify(after) })
          .onConflict('seller_id')
          .merge();
        if (event !== undefined) await record(trx, [event]);
        await tell(trx, decision);
        return after;
      }),
  };
}

async function readBook(knex: Knex, seller: UserId | null): Promise<WalletBook> {
  const row = await knex<WalletRow>('wallets')
    .where({ seller_id: seller ?? 0 })
    .first();
  return row === undefined ? emptyBook : JSON.parse(row.book);
}
