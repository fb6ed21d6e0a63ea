import type { Knex } from 'knex';
import type { UserId } from '../../../core/id.ts';
import type { InvoiceProfile } from '../../../core/invoices/invoice-profile.ts';
import type { InvoiceProfileStore } from '../../../core/ports/invoice-profile-store.ts';
import { isRefused } from '../../../core/refusal.ts';
import { holdLock } from '../advisory-locks.ts';
import type { Database } from '../database.ts';
import { record } from './audit-log.ts';
import { tell } from './tell.ts';

/** A row of `invoice_profiles`. `profile` is JSON. The seller 0 is the operator. */
interface ProfileRow {
  readonly seller_id: number;
  readonly profile: string;
  readonly updated_at: number;
}

export function createSqlInvoiceProfileStore({ read, write }: Pick<Database, 'read' | 'write'>): InvoiceProfileStore {
  return {
    findOf: (seller) => read((knex) => readInvoiceProfile(knex, seller)),
    change: (seller, decide) =>
      write(async (trx) => {
        // A row that is not there yet cannot be locked. SQLite has only one writer.
        await holdLock(trx, 'invoiceProfiles');
        const decision = decide(await readInvoiceProfile(trx, seller));
        if (isRefused(decision)) return decision;
        const { after, event } = decision;
        if (event === undefined) return after;
        await trx<ProfileRow>('invoice_profiles')
          .insert({ seller_id: seller ?? 0, profile: JSON.stringify(after), updated_at: event.at })
          .onConflict('seller_id')
          .merge();
        await record(trx, [event]);
        await tell(trx, decision);
        return after;
      }),
  };
}

export async function readInvoiceProfile(knex: Knex, seller: UserId | null): Promise<InvoiceProfile | undefined> {
  const row = await knex<ProfileRow>('invoice_profiles')
    .where({ seller_id: seller ?? 0 })
    .first();
  return row && JSON.parse(row.profile);
}
