import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import { toAuditId } from '../../../core/id.ts';
import type { AuditLog } from '../../../core/ports/audit-log.ts';
import type { Database } from '../database.ts';

interface EventRow extends Omit<Event, 'data'> {
  readonly data: string;
}

interface StoredRow extends EventRow {
  readonly id: number;
}

const rowsAtOnce = 500;

/** Writes the events of a change, in the transaction of the change. */
export async function record(trx: Knex.Transaction, events: readonly Event[]): Promise<void> {
  const rows = events.map(({ data, ...rest }): EventRow => ({ ...rest, data: JSON.stringify(data) }));
  // `batchInsert` opens a transaction inside the transaction, which costs two more round trips.
  if (rows.length <= rowsAtOnce) await trx('audit_log').insert(rows);
  else await trx.batchInsert('audit_log', rows, rowsAtOnce);
}

export function createSqlAuditLog({ read, readStale = read }: Pick<Database, 'read' | 'readStale'>): AuditLog {
  return {
    async list({ subject, actor, type, from, to, before, limit }) {
      const isByTime = [actor, type, from, to].some((wanted) => wanted !== undefined);
      const same = Object.entries({ subject, actor, type }).filter(([, value]) => value !== undefined);
      const rows: StoredRow[] = await readStale((knex) =>
        knex('audit_log')
          .select('id', 'type', 'at', 'actor', 'reason', 'subject', 'data')
          .where(Object.fromEntries(same))
          .modify((query) => {
            if (from !== undefined) query.where('at', '>=', from);
            if (to !== undefined) query.where('at', '<', to);
            if (before !== undefined && isByTime) {
              query.whereRaw('(at, id) < (SELECT at, id FROM audit_log WHERE id = ?)', [before]);
            }
            if (before !== undefined && !isByTime) query.where('id', '<', before);
          })
          .orderBy((isByTime ? ['at', 'id'] : ['id']).map((column) => ({ column, order: 'desc' })))
          .limit(limit),
      );
      return rows.map(({ id, data, ...rest }) => ({ ...rest, id: toAuditId(id), data: JSON.parse(data) }));
    },
  };
}
