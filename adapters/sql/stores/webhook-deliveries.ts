import type { Knex } from 'knex';
import type { DeliveryId, WebhookId } from '../../../core/id.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { DeliveryFilter, HourOfAttempts } from '../../../core/ports/webhook-store.ts';
import { hour } from '../../../core/time.ts';
import type { Delivery, DeliveryEntry, Fault } from '../../../core/webhooks/delivery.ts';
import { comparableId, isRowId } from '../database.ts';
import { type AttemptRow, type DeliveryWithName, toAttempt, toDeliveryEntry } from './webhook-rows.ts';

/** Returns a delivery with its attempts, unless its endpoint was removed. */
export async function findDelivery(knex: Knex, id: DeliveryId): Promise<Delivery | undefined> {
  const row: (DeliveryWithName & { readonly body: string }) | undefined = await withEvents(knex)
    .join('webhook_endpoints as w', 'w.id', 'd.endpoint_id')
    .where('d.id', id)
    .first('d.*', 'e.name', 'e.body');
  if (row === undefined) return undefined;
  const history = await knex<AttemptRow>('webhook_attempts').where({ delivery_id: id }).orderBy('number');
  return { ...toDeliveryEntry(row), body: row.body, history: history.map(toAttempt) };
}

export async function listDeliveries(
  knex: Knex,
  { endpointId, state, type, from, to, before, limit }: DeliveryFilter,
): Promise<DeliveryEntry[]> {
  if (!isRowId(endpointId)) return [];
  const rows: DeliveryWithName[] = await withEvents(knex)
    .where('d.endpoint_id', endpointId)
    .whereExists(knex('webhook_endpoints').where({ id: endpointId }))
    .modify((query) => {
      if (state !== undefined) query.where('d.state', state);
      if (type !== undefined) query.where('d.type', type);
      if (from !== undefined) query.where('d.created_at', '>=', from);
      if (to !== undefined) query.where('d.created_at', '<', to);
      if (before !== undefined) query.where('d.id', '<', before);
    })
    .orderBy('d.id', 'desc')
    .limit(limit)
    .select('d.*', 'e.name');
  return rows.map(toDeliveryEntry);
}

export async function attemptsByHour(knex: Knex, endpointId: WebhookId, since: Instant): Promise<HourOfAttempts[]> {
  const rows: HourOfAttempts[] = await knex('webhook_hours')
    .where({ endpoint_id: comparableId(endpointId) })
    .where('hour', '>=', since - (since % hour))
    .orderBy('hour')
    .select('hour', 'delivered', 'failed');
  return rows;
}

export async function attemptsOfAll(knex: Knex, since: Instant): Promise<HourOfAttempts[]> {
  const rows: { hour: Instant; delivered: number | string; failed: number | string }[] = await knex('webhook_hours')
    .where('hour', '>=', since - (since % hour))
    .groupBy('hour')
    .orderBy('hour')
    .select('hour')
    .sum({ delivered: 'delivered', failed: 'failed' });
  return rows.map((row) => ({ hour: row.hour, delivered: Number(row.delivered), failed: Number(row.failed) }));
}

export async function faultsSince(
  knex: Knex,
  endpointId: WebhookId,
  since: Instant,
): Promise<{ fault: Fault; count: number }[]> {
  const rows: { fault: string; count: number | string }[] = await knex('webhook_deliveries')
    .where({ endpoint_id: comparableId(endpointId), state: 'failed' })
    .where('attempted_at', '>=', since)
    .whereNotNull('fault')
    .groupBy('fault')
    .orderBy([{ column: 'count', order: 'desc' }, { column: 'fault' }])
    .select('fault')
    .count({ count: '*' });
  return rows.map(({ fault, count }) => ({ fault: fault as Fault, count: Number(count) }));
}

function withEvents(knex: Knex): Knex.QueryBuilder {
  return knex('webhook_deliveries as d').join('webhook_events as e', 'e.id', 'd.event_id');
}
