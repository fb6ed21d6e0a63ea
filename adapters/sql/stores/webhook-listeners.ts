import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import { toDeliveryId, type WebhookId } from '../../../core/id.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Fetching } from '../../../core/ports/webhook-store.ts';
import { hour } from '../../../core/time.ts';
import type { WaitingDelivery } from '../../../core/webhooks/delivery.ts';
import type { Endpoint } from '../../../core/webhooks/endpoint.ts';
import type { WebhookEventType } from '../../../core/webhooks/webhook-event.ts';
import { type Database, isRowId } from '../database.ts';
import { record } from './audit-log.ts';
import { type DeliveryWithName, type EndpointRow, isListener, toEndpoint } from './webhook-rows.ts';

const table = 'webhook_endpoints';
/** How often it is stored that a listener is used, in milliseconds. */
const rarely = hour;
/** The listeners that one transaction removes. */
const atOnce = 100;

/** See `WebhookStore.fetch`. */
export async function fetchWaiting(
  { read, write }: Pick<Database, 'read' | 'write'>,
  endpointId: WebhookId,
  { done, now, limit }: Fetching,
): Promise<WaitingDelivery[]> {
  if (!isRowId(endpointId)) return [];
  const its = (knex: Knex) => knex(table).where({ id: endpointId });
  const row: (Pick<EndpointRow, 'url'> & { readonly listened_at: Instant }) | undefined = await read((knex) =>
    its(knex).first('url', 'listened_at'),
  );
  if (row === undefined || !isListener(row)) return [];
  if (done.length > 0 || row.listened_at <= now - rarely) {
    await write(async (trx) => {
      await its(trx).update({ listened_at: now });
      await waitingOf(trx, endpointId)
        .whereIn('d.id', done.filter(isRowId))
        .update({ state: 'delivered', due: null, attempts: trx.raw('attempts + 1'), attempted_at: now } as object);
    });
  }
  const rows: (DeliveryWithName & { readonly body: string })[] = await read((knex) =>
    waitingOf(knex, endpointId)
      .join('webhook_events as e', 'e.id', 'd.event_id')
      .orderBy('d.id')
      .limit(limit)
      .select('d.id', 'd.type', 'd.is_test', 'd.created_at', 'e.name', 'e.body'),
  );
  return rows.map(({ id, type, is_test, created_at, name, body }) => ({
    id: toDeliveryId(id),
    eventId: name,
    type: type as WebhookEventType,
    isTest: is_test === 1,
    createdAt: created_at,
    body,
  }));
}

/** See `WebhookStore.removeIdle`. Those that are used or switched off meanwhile stay. */
export async function removeIdle(
  { read, write }: Pick<Database, 'read' | 'write'>,
  before: Instant,
  eventOf: (listener: Endpoint) => Event,
): Promise<number> {
  const idle = (knex: Knex) => knex<EndpointRow>(table).where('listened_at', '<', before).whereNull('off_reason');
  // Without this read, the job would take SQLite's write lock for nothing.
  if ((await read((knex) => idle(knex).first('id'))) === undefined) return 0;
  for (let removed = 0; ; ) {
    const rows = await write(async (trx) => {
      const some = await idle(trx).orderBy('id').limit(atOnce).forUpdate();
      await trx(table)
        .whereIn(
          'id',
          some.map(({ id }) => id),
        )
        .delete();
      await record(
        trx,
        some.map((row) => eventOf(toEndpoint(row))),
      );
      return some.length;
    });
    removed += rows;
    if (rows < atOnce) return removed;
  }
}

function waitingOf(knex: Knex, endpointId: number): Knex.QueryBuilder {
  return knex('webhook_deliveries as d').where({ 'd.endpoint_id': endpointId, 'd.state': 'waiting' });
}
