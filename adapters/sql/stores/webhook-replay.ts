import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import type { WebhookId } from '../../../core/id.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { mostAttempts } from '../../../core/webhooks/delivery.ts';
import { type Database, isRowId } from '../database.ts';
import { createShortTurns } from '../paced-writes.ts';
import { ringAfter } from '../ring.ts';
import { record } from './audit-log.ts';
import type { DeliveryRow } from './webhook-rows.ts';

/**
 * Queues those of the deliveries again that do not wait and have attempts left. They get all their attempts again, and are
 * due at once. Those of listeners wait until they are fetched. Returns how many.
 */
export async function queueAgain(trx: Knex.Transaction, ids: readonly number[], at: Instant): Promise<number> {
  const queued: number = await trx('webhook_deliveries')
    .whereIn('id', ids)
    .whereNot('state', 'waiting')
    .where('made', '<', mostAttempts)
    .update({
      state: 'waiting',
      due: trx.raw(
        `(SELECT CAST(? AS bigint) FROM webhook_endpoints AS e
          WHERE e.id = webhook_deliveries.endpoint_id AND e.url <> '')`,
        [at],
      ),
      attempts: 0,
    } as object);
  if (queued > 0) ringAfter(trx);
  return queued;
}

/**
 * Makes all deliveries since then due, newest first, in short transactions. The first one has the event. If a later one
 * fails, the seller can replay again: those that wait already are left alone.
 */
export async function replay(
  database: Pick<Database, 'read' | 'write' | 'parts'>,
  endpointId: WebhookId,
  since: Instant,
  event: Event,
): Promise<number> {
  if (!isRowId(endpointId)) return 0;
  const turns = createShortTurns(database);
  let queued = 0;
  // Those that are added meanwhile are due anyway.
  for (let before: number | undefined; ; ) {
    const page = await database.read((knex) => pageBefore(knex, endpointId, before, turns.rows()));
    // Several processes add deliveries, so their times are only roughly in the order of their ids.
    const wanted = page.filter(({ created_at: at }) => at >= since);
    if (wanted.length === 0) return queued;
    queued += await turns.take(wanted.length, async (trx) => {
      const some = await queueAgain(
        trx,
        wanted.map(({ id }) => id),
        event.at,
      );
      if (queued === 0 && some > 0) await record(trx, [event]);
      return some;
    });
    before = page.at(-1)?.id;
  }
}

type DeliveryPlace = Pick<DeliveryRow, 'id' | 'created_at'>;

async function pageBefore(
  knex: Knex,
  endpointId: WebhookId,
  before: number | undefined,
  most: number,
): Promise<DeliveryPlace[]> {
  return await knex<DeliveryRow>('webhook_deliveries')
    .where({ endpoint_id: endpointId })
    .modify((query) => {
      if (before !== undefined) query.where('id', '<', before);
    })
    .orderBy('id', 'desc')
    .limit(most)
    .select('id', 'created_at');
}

/** Ends the waiting of what was for a removed endpoint, in short transactions. Otherwise each claim would step over it. */
export async function stopWaiting(database: Pick<Database, 'write' | 'parts'>, endpointId: WebhookId): Promise<void> {
  const turns = createShortTurns(database);
  for (let isMore = true; isMore; ) {
    const most = turns.rows();
    const stopped = await turns.take(most, (trx) => {
      const waiting = trx('webhook_deliveries').where({ endpoint_id: endpointId }).whereNotNull('due');
      return trx('webhook_deliveries').whereIn('id', waiting.limit(most).select('id')).update({ due: null });
    });
    isMore = stopped === most;
  }
}
