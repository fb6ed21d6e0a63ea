import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import type { AuditLog } from '../../audit-log.ts';
import type { Database } from '../database.ts';

interface EventRow extends Omit<Event, 'data'> {
  readonly data: string;
}

const rowsAtOnce = 500;

/** Writes the events of a change, in the transaction of that change. */
export async function record(trx: Knex.Transaction, events: readonly Event[]): Promise<void> {
  const rows = events.map(({ data, ...rest }): EventRow => ({ ...rest, data: JSON.stringify(data) }));
  // `batchInsert` opens a transaction inside the transaction, which costs two more round trips.
  if (rows.length <= rowsAtOnce) await trx('audit_log').insert(rows);
  else await trx.batchInsert('audit_log', rows, rowsAtOnce);
}

export function createSqlAuditLog({ read, readStale = read }: Database): AuditLog {
  return {
    async list({ subject, limit }) {
      const rows: EventRow[] = await readStale((knex) =>
        knex<EventRow>('audit_log')
          .select('type', 'at', 'actor', 'reason', 'subject', 'data')
          .modify((query) => {
            if (subject !== undefined) query.where({ subject });
          })
          .orderBy('id', 'desc')
          .limit(limit),
      );
      return rows.map(({ data, ...rest }) => ({ ...rest, data: JSON.parse(data) }));
    },
  };
}
