import type { Knex } from 'knex';
import type { News } from '../../../core/ports/change.ts';
import { addMail } from './mail-rows.ts';
import { addNotices } from './notification-store.ts';

/** Stores the mails and notifications about a change, in the transaction of the change. */
export async function tell(trx: Knex.Transaction, { letters = [], notices = [] }: News): Promise<void> {
  for (const letter of letters) await addMail(trx, letter);
  await addNotices(trx, notices);
}
