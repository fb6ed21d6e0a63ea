import type { Knex } from 'knex';
import { type MailId, toMailId } from '../../../core/id.ts';
import type { MailKind } from '../../../core/mail/letter.ts';
import type { Mail, MailEntry, MailState } from '../../../core/mail/mail.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { MailStore } from '../../../core/ports/mail-store.ts';
import { comparableId, type Database, isRowId } from '../database.ts';
import { forgetRows } from '../in-steps.ts';
import { addWork } from './add-work.ts';
import { record } from './audit-log.ts';
import { changeRow } from './change-row.ts';
import { addMail, type MailRow, toNewRow } from './mail-rows.ts';

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
export function createSqlMailStore(database: Database): MailStore {
  const { read, readStale = read, write } = database;
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
            if (before !== undefined) query.where('mails.id', '<', comparableId(before));
          })
          .orderBy('mails.id', 'desc')
          .limit(limit)
          .select(...short.map((column) => `mails.${column}`), 'work.due'),
      );
      return rows.map(toEntry);
    },
    change: changeRow<MailId, Mail, MailRow>(write, 'mails', toMail, toRow, async (trx, before, after, { at }) => {
      if (before.state !== 'queued' && after.state === 'queued') await addWork(trx, 'mail', [after.id], at);
    }),
    forget: (before) =>
      forgetRows<number>(
        database,
        (knex, most) =>
          knex<MailRow>('mails').where('created_at', '<', before).whereNot('state', 'queued').limit(most).pluck('id'),
        (trx, ids) => trx<MailRow>('mails').whereIn('id', ids).whereNot('state', 'queued').delete(),
      ),
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

function toRow({ state, attempts, error, settledAt, ...mail }: Omit<Mail, 'id'>): Omit<MailRow, 'id'> {
  return { ...toNewRow(mail), state, attempts, error, settled_at: settledAt };
}
