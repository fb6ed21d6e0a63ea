import type { Knex } from 'knex';
import { type MailId, toMailId } from '../../../core/id.ts';
import type { NewMail } from '../../../core/mail/mail.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { returned } from '../database.ts';
import { addWork } from './add-work.ts';

export interface MailRow {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly address: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly state: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly created_at: Instant;
  readonly settled_at: Instant | null;
}

/** Stores a mail with the work of sending it. Call this in the transaction of the change that the mail is about. */
export async function addMail(trx: Knex.Transaction, mail: NewMail): Promise<MailId> {
  const { id } = returned(await trx<MailRow>('mails').insert(toNewRow(mail)).returning('id'));
  await addWork(trx, 'mail', [id], mail.createdAt);
  return toMailId(id);
}

/** The same for many mails that were made at the same time. */
export async function addMails(trx: Knex.Transaction, mails: readonly NewMail[]): Promise<void> {
  const [first] = mails;
  if (first === undefined) return;
  const rows = await trx<MailRow>('mails').insert(mails.map(toNewRow)).returning('id');
  const ids = rows.map(({ id }) => id);
  await addWork(trx, 'mail', ids, first.createdAt);
}

export function toNewRow({ kind, to, subject, text, html, createdAt }: NewMail): Omit<MailRow, 'id'> {
  const { name, address } = to;
  const fresh = { state: 'queued', attempts: 0, error: null, settled_at: null };
  return { kind, name, address, subject, text, html, created_at: createdAt, ...fresh };
}
