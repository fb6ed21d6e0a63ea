import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Database } from '../database.ts';

/** The events of one transaction. Each can have several deliveries, with several attempts. */
const atOnce = 100;

/** Deletes old events with their deliveries and attempts, in short transactions. Returns the number of events. */
export async function forgetWebhooks(
  { read, write }: Pick<Database, 'read' | 'write'>,
  before: Instant,
): Promise<number> {
  await write((trx) => trx('webhook_hours').where('hour', '<', before).delete());
  for (let deleted = 0; ; ) {
    const ids: number[] = await read((knex) =>
      knex('webhook_events').where('created_at', '<', before).orderBy('created_at').limit(atOnce).pluck('id'),
    );
    if (ids.length === 0) return deleted;
    deleted += await write((trx) => deleteEvents(trx, ids));
  }
}

async function deleteEvents(trx: Knex.Transaction, ids: readonly number[]): Promise<number> {
  const deliveries = () => trx('webhook_deliveries').whereIn('event_id', ids);
  // Locked first, so that nobody stores the result of an attempt meanwhile.
  const found: number[] = await deliveries().forUpdate().pluck('id');
  await trx('webhook_attempts').whereIn('delivery_id', found).delete();
  await deliveries().delete();
  return await trx('webhook_events').whereIn('id', ids).delete();
}
