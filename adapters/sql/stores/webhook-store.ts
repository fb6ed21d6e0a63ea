import type { Knex } from 'knex';
import { toDeliveryId, type WebhookId } from '../../../core/id.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { EndpointFilter, WebhookStore } from '../../../core/ports/webhook-store.ts';
import { refuse } from '../../../core/refusal.ts';
import { type Endpoint, endpointLimits } from '../../../core/webhooks/endpoint.ts';
import { comparableId, type Database, isRowId, returned } from '../database.ts';
import { forgetRows } from '../in-steps.ts';
import { ringAfter } from '../ring.ts';
import { record } from './audit-log.ts';
import { changeRow } from './change-row.ts';
import { findRow } from './find-row.ts';
import { attemptsByHour, faultsSince, findDelivery, listDeliveries } from './webhook-deliveries.ts';
import { fetchWaiting, removeIdle } from './webhook-listeners.ts';
import { addEvents, sampleDelivery } from './webhook-outbox.ts';
import { queueAgain, replay, stopWaiting } from './webhook-replay.ts';
import { type EndpointRow, isListener, toEndpoint, toEndpointRow } from './webhook-rows.ts';

const table = 'webhook_endpoints';

export function createSqlWebhookStore(database: Database): WebhookStore {
  const { read, readStale = read, write } = database;
  const { findById } = findRow<Endpoint, EndpointRow>(read, table, toEndpoint);
  return {
    add: (endpoint, event) =>
      write(async (trx) => {
        // So that two calls of one account count one after the other.
        await trx('users').where({ id: endpoint.ownerId }).forUpdate().first('id');
        const counted = await trx(table)
          .where({ owner_id: endpoint.ownerId, is_live: Number(endpoint.isLive) })
          .count({ endpoints: '*' })
          .first();
        const most = endpointLimits.perAccount;
        if (Number(counted?.endpoints) >= most) {
          return refuse('too_many_webhooks', `An account can have ${most} webhooks. Delete one that is not needed.`);
        }
        const row = toEndpointRow(endpoint);
        const on = { on_since: endpoint.createdAt, listened_at: isListener(row) ? endpoint.createdAt : null };
        const rows = await trx(table)
          .insert({ ...row, ...on })
          .returning<EndpointRow[]>('*');
        await record(trx, [event]);
        return toEndpoint(returned(rows));
      }),
    find: findById,
    list: async (filter) => (await read((knex) => listed(knex, filter))).map(toEndpoint),
    change: changeRow<WebhookId, Endpoint, EndpointRow>(
      write,
      table,
      toEndpoint,
      toEndpointRow,
      async (trx, before, after, { at }) => {
        if (before.off === null || after.off !== null) return;
        // While it was off, nobody could fetch from it.
        const listened = after.url === null && { listened_at: at };
        await trx(table)
          .where({ id: after.id })
          .update({ on_since: at, ...listened });
        ringAfter(trx);
      },
    ),
    // Its deliveries are found only with their endpoint.
    async remove(id, event) {
      const isRemoved = await write(async (trx) => {
        const removed = isRowId(id) ? await trx(table).where({ id }).delete() : 0;
        if (removed > 0) await record(trx, [event]);
        return removed > 0;
      });
      if (isRemoved) await stopWaiting(database, id);
      return isRemoved;
    },

    fetch: (endpointId, fetching) => fetchWaiting(database, endpointId, fetching),
    removeIdle: (before, eventOf) => removeIdle(database, before, eventOf),

    addSample: (endpointId, sample, event) =>
      write(async (trx) => {
        const eventId = returned(await addEvents(trx, [sample], event.at));
        const row = await trx<EndpointRow>(table).where({ id: endpointId }).first('url');
        const to = { id: endpointId, isListener: row !== undefined && isListener(row) };
        const delivery = sampleDelivery(to, eventId, sample.type, event.at);
        const rows = await trx('webhook_deliveries').insert(delivery).returning<{ id: number }[]>('id');
        await record(trx, [event]);
        ringAfter(trx);
        return toDeliveryId(returned(rows).id);
      }),
    findDelivery: (id) => read((knex) => findDelivery(knex, id)),
    listDeliveries: (filter) => readStale((knex) => listDeliveries(knex, filter)),
    redeliver: (id, event) =>
      write(async (trx) => {
        const found = await trx('webhook_deliveries as d')
          .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
          .where('d.id', id)
          .first('d.id');
        if (found === undefined) return false;
        if ((await queueAgain(trx, [id], event.at)) === 0) return true;
        await record(trx, [event]);
        return true;
      }),
    replay: (endpointId, since, event) => replay(database, endpointId, since, event),
    attemptsByHour: (endpointId, since) => readStale((knex) => attemptsByHour(knex, endpointId, since)),
    faultsSince: (endpointId, since) => readStale((knex) => faultsSince(knex, endpointId, since)),
    forget: (before) => forgetWebhooks(database, before),
  };
}

function listed(knex: Knex, { isLive, ownerId, before, limit }: EndpointFilter) {
  return knex<EndpointRow>(table)
    .where({ is_live: Number(isLive) })
    .modify((query) => {
      if (ownerId !== undefined) query.where({ owner_id: ownerId });
      if (before !== undefined) query.where('id', '<', comparableId(before));
    })
    .orderBy('id', 'desc')
    .limit(limit);
}

/** The events of one transaction. Each can have several deliveries, with several attempts. */
const atOnce = 100;

/** Deletes old events with their deliveries and attempts, in short transactions. Returns the number of events. */
async function forgetWebhooks(database: Pick<Database, 'read' | 'write'>, before: Instant): Promise<number> {
  await database.write((trx) => trx('webhook_hours').where('hour', '<', before).delete());
  return await forgetRows<number>(
    database,
    (knex, most) =>
      knex('webhook_events').where('created_at', '<', before).orderBy('created_at').limit(most).pluck('id'),
    deleteEvents,
    atOnce,
  );
}

async function deleteEvents(trx: Knex.Transaction, ids: readonly number[]): Promise<number> {
  const deliveries = () => trx('webhook_deliveries').whereIn('event_id', ids);
  // Locked first, so that nobody stores the result of an attempt meanwhile.
  const found: number[] = await deliveries().forUpdate().pluck('id');
  await trx('webhook_attempts').whereIn('delivery_id', found).delete();
  await deliveries().delete();
  return await trx('webhook_events').whereIn('id', ids).delete();
}
