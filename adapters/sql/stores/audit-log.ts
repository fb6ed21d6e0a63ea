import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import { toAuditId } from '../../../core/id.ts';
import type { AuditLog } from '../../../core/ports/audit-log.ts';
import type { Database } from '../database.ts';
import { forgetOldest } from '../in-steps.ts';
import { inserting, type Types } from '../json-rows.ts';
import { markChanged } from '../keyed-requests.ts';

interface EventRow extends Omit<Event, 'data' | 'request'> {
  readonly data: string;
}

interface StoredRow extends EventRow {
  readonly id: number;
}

const types: Types<EventRow> = {
  at: 'bigint',
  type: 'text',
  actor: 'text',
  reason: 'text',
  subject: 'text',
  data: 'text',
};

/**
 * Returns a function that writes the events of a change, in the transaction of the change. It marks the requests with an
 * idempotency key that asked for it, or throws `KeyLost`.
 */
export function recording(events: readonly Event[]): (trx: Knex.Transaction) => Promise<void> {
  const requests = new Map(events.flatMap(({ request }) => (request ? [[request.owner, request]] : [])));
  const inOrder = [...requests].toSorted().map(([, request]) => request);
  const insert = inserting(
    'audit_log',
    types,
    events.map(({ data, request: _, ...rest }): EventRow => ({ ...rest, data: JSON.stringify(data) })),
  );
  return async (trx) => {
    for (const request of inOrder) await markChanged(trx, request);
    await insert(trx);
  };
}

/** Does what `recording` says, at once. */
export async function record(trx: Knex.Transaction, events: readonly Event[]): Promise<void> {
  await recording(events)(trx);
}

export function createSqlAuditLog(database: Pick<Database, 'read' | 'readStale' | 'write'>): AuditLog {
  const { read, readStale = read } = database;
  return {
    forget: (before) => forgetOldest(database, 'audit_log', before),
    async list({ subject, formerly = [], actor, type, from, to, before, limit }) {
      const isByTime = [actor, type, from, to].some((wanted) => wanted !== undefined);
      const same = Object.entries({ actor, type }).filter(([, value]) => value !== undefined);
      const rows: StoredRow[] = await readStale((knex) =>
        knex('audit_log')
          .select('id', 'type', 'at', 'actor', 'reason', 'subject', 'data')
          .where(Object.fromEntries(same))
          .modify((query) => {
            if (subject !== undefined) query.whereIn('subject', [subject, ...formerly]);
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
