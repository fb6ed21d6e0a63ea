import type { Knex } from 'knex';
import { type MailId, toMailId } from '../../../core/id.ts';
import type { Mail, MailEntry, MailKind, MailState, NewMail } from '../../../core/mail/mail.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { MailStore } from '../../../core/ports/mail-store.ts';
import { type Database, isRowId, returned } from '../database.ts';
import { addWork } from './add-work.ts';
import { record } from './audit-log.ts';
import { changeRow } from './change-row.ts';

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

/** The row with the time of its next attempt. */
type DueRow<Row> = Row & { readonly due?: Instant | null };

const short = [
  'id',
  'kind',
  'name',
  'address',
  'subject',
  'state',
  'attempts',
  'error',
  'created_at',
  'settled_at',
] as const;
const perDelete = 500;

/** Stores a mail with the work of sending it. Call this in the transaction of the change that the mail is about. */
export async function addMail(trx: Knex.Transaction, mail: NewMail): Promise<MailId> {
  const { id } = returned(await trx<MailRow>('mails').insert(toNewRow(mail)).returning('id'));
  await addWork(trx, 'mail', [id], mail.createdAt);
  return toMailId(id);
}

export function createSqlMailStore({ read, readStale = read, write }: Database): MailStore {
  return {
    add: (mail, event) =>
      write(async (trx) => {
        const id = await addMail(trx, mail);
        await record(trx, [event]);
        return id;
      }),
    async find(id) {
      if (!isRowId(id)) return undefined;
      const row: DueRow<MailRow> | undefined = await read((knex) =>
        withDue(knex).where('mails.id', id).first('mails.*', 'work.due'),
      );
      return row && toMail(row);
    },
    async list({ state, address, before, limit }) {
      const rows: DueRow<Omit<MailRow, 'text' | 'html'>>[] = await readStale((knex) =>
        withDue(knex)
          .modify((query) => {
            if (state !== undefined) query.where('mails.state', state);
            if (address !== undefined) query.whereRaw('lower(mails.address) = ?', [address.toLowerCase()]);
            if (before !== undefined) query.where('mails.id', '<', before);
          })
          .orderBy('mails.id', 'desc')
          .limit(limit)
          .select(...short.map((column) => `mails.${column}`), 'work.due'),
      );
      return rows.map(toEntry);
    },
    change: changeRow<MailId, Mail, MailRow>(write, 'mails', toMail, toRow, async (trx, before, after, at) => {
      if (before.state !== 'queued' && after.state === 'queued') await addWork(trx, 'mail', [after.id], at);
    }),
    async forget(before) {
      for (let deleted = 0; ; ) {
        const ids: number[] = await read((knex) =>
          knex<MailRow>('mails')
            .where('created_at', '<', before)
            .whereNot('state', 'queued')
            .limit(perDelete)
            .pluck('id'),
        );
        if (ids.length === 0) return deleted;
        deleted += await write(
          async (trx) => await trx<MailRow>('mails').whereIn('id', ids).whereNot('state', 'queued').delete(),
        );
      }
    },
  };
}

/** Mails with the work of sending them, if it is not finished. */
function withDue(knex: Knex): Knex.QueryBuilder {
  return knex('mails').leftJoin('work', (join) =>
    join.on('work.subject_id', 'mails.id').andOn('work.kind', knex.raw('?', ['mail'])),
  );
}

function toEntry(row: DueRow<Omit<MailRow, 'text' | 'html'>>): MailEntry {
  return {
    id: toMailId(row.id),
    kind: row.kind as MailKind,
    to: { name: row.name, address: row.address },
    subject: row.subject,
    state: row.state as MailState,
    attempts: row.attempts,
    error: row.error,
    createdAt: row.created_at,
    settledAt: row.settled_at,
    dueAt: row.due ?? null,
  };
}

function toMail(row: DueRow<MailRow>): Mail {
  return { ...toEntry(row), text: row.text, html: row.html };
}

function toNewRow({ kind, to, subject, text, html, createdAt }: NewMail): Omit<MailRow, 'id'> {
  const { name, address } = to;
  const fresh = { state: 'queued', attempts: 0, error: null, settled_at: null };
  return { kind, name, address, subject, text, html, created_at: createdAt, ...fresh };
}

function toRow({ state, attempts, error, settledAt, ...mail }: Omit<Mail, 'id'>): Omit<MailRow, 'id'> {
  return { ...toNewRow(mail), state, attempts, error, settled_at: settledAt };
}
