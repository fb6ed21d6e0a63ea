import type { Knex } from 'knex';
import type { Instant } from '../../core/ports/clock.ts';
import type { WebhookBacklog } from '../../core/ports/webhook-queue.ts';
import type { Happening } from '../../core/webhooks/webhook-event.ts';
import { type Database, isPostgres } from './database.ts';
import { cells, given, jsonOf } from './json-rows.ts';
import { ringAfter } from './ring.ts';

// Stores and archives use this, and it must know none of them.

const table = 'webhook_fan_outs';
/**
 * The most deliveries that a change adds in its own transaction. A thousand licenses for twenty webhooks would hold SQLite's
 * only write lock too long: every verification waits for it.
 */
const mostAtOnce = 1_000;

/** An event that was added, with the endpoints that get it. */
export interface AddedEvent {
  readonly eventId: number;
  readonly type: Happening['type'];
  readonly now: Instant;
  readonly endpoints: readonly { readonly id: number; readonly isListener: boolean }[];
}

/** A delivery is added for each event and each endpoint with the same group. */
interface Batch {
  readonly told: readonly (readonly [group: number, eventId: number, type: string, at: Instant])[];
  readonly heard: readonly (readonly [group: number, endpointId: number, isSent: 0 | 1])[];
}

interface FanOutRow {
  readonly id: number;
  /** A `Batch` as JSON. */
  readonly batch: string;
  /** How many deliveries it has, and when they are due. */
  readonly deliveries: number;
  readonly due: Instant;
}

/** The batches that were noted in a transaction. */
const noted = new WeakMap<Knex.Transaction, readonly number[]>();

/**
 * Adds the deliveries of events. If there are many, only notes what is to be added: `createSpread` does it in short
 * transactions after the commit.
 */
export async function fanOut(trx: Knex.Transaction, events: readonly AddedEvent[]): Promise<void> {
  if (deliveriesOf(events) <= mostAtOnce) return await insertDeliveries(trx, toBatch(events));
  const rows: Pick<FanOutRow, 'id'>[] = await trx(table)
    .insert(
      inBatches(events).map((some) => ({
        batch: JSON.stringify(toBatch(some)),
        deliveries: deliveriesOf(some),
        due: Math.min(...some.map(({ now }) => now)),
      })),
    )
    .returning('id');
  noted.set(trx, [...(noted.get(trx) ?? []), ...rows.map(({ id }) => id)]);
}

/** Adds the deliveries of the oldest batch, in one short transaction. Returns whether there was one. */
export type Spread = () => Promise<boolean>;

/** A batch that cannot be added is tried again after the others, so that it stops nobody. */
export function createSpread(database: Pick<Database, 'read' | 'write' | 'parts'>): Spread {
  let after = 0;
  return async () => {
    // Without this read, an idle process would take SQLite's write lock again and again.
    const next = await database.read((knex) => knex<FanOutRow>(table).where('id', '>', after).orderBy('id').first());
    if (next === undefined) {
      after = 0;
      return false;
    }
    try {
      return await addPart(database, (batches) => batches.where('id', '>', after).orderBy('id'));
    } catch (error) {
      after = next.id;
      throw error;
    }
  };
}

/**
 * Does work with `change`, which runs it in a transaction, and then adds its deliveries. So whoever makes large changes
 * waits for their deliveries, and nobody else does. What fails is left to the dispatchers, which report it.
 */
export async function thenSpread<T>(
  database: Pick<Database, 'write' | 'parts'>,
  change: Database['write'],
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  let own: readonly number[] = [];
  const result = await change(async (trx) => {
    const done = await work(trx);
    own = noted.get(trx) ?? [];
    return done;
  });
  try {
    for (const id of own) await addPart(database, (batches) => batches.where({ id }));
  } catch {}
  return result;
}

/** Adds the first of these batches that no other process is adding. Returns whether there was one. */
async function addPart(
  { write, parts }: Pick<Database, 'write' | 'parts'>,
  these: (batches: Knex.QueryBuilder<FanOutRow>) => Knex.QueryBuilder<FanOutRow>,
): Promise<boolean> {
  const { result } = await parts.take(write, async (trx) => {
    const held = these(trx<FanOutRow>(table)).first().forUpdate();
    const row = await (isPostgres(trx) ? held.skipLocked() : held);
    if (row !== undefined) await addBatch(trx, row);
    return row !== undefined;
  });
  return result;
}

/** Adds all batches in this transaction. */
export async function spreadAll(trx: Knex.Transaction): Promise<void> {
  for (;;) {
    const row = await trx<FanOutRow>(table).orderBy('id').first();
    if (row === undefined) return;
    await addBatch(trx, row);
  }
}

/** The deliveries that are still to be added. */
export async function notYetAdded(knex: Knex): Promise<WebhookBacklog> {
  const row = await knex<FanOutRow>(table).sum({ count: 'deliveries' }).min({ oldest: 'due' }).first();
  return { count: Number(row?.count ?? 0), oldest: row?.oldest === null ? null : Number(row?.oldest) };
}

async function addBatch(trx: Knex.Transaction, { id, batch }: FanOutRow): Promise<void> {
  await trx(table).where({ id }).delete();
  await insertDeliveries(trx, await withoutGone(trx, JSON.parse(batch)));
  ringAfter(trx);
}

function deliveriesOf(events: readonly AddedEvent[]): number {
  return events.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
}

/** Splits events so that each batch has few deliveries, but at least one event. */
function inBatches(events: readonly AddedEvent[]): AddedEvent[][] {
  const batches: AddedEvent[][] = [];
  // Full, so that the first event begins a batch.
  let size = mostAtOnce;
  for (const event of events) {
    size += event.endpoints.length;
    if (size > mostAtOnce) {
      batches.push([]);
      size = event.endpoints.length;
    }
    batches.at(-1)?.push(event);
  }
  return batches;
}

function toBatch(events: readonly AddedEvent[]): Batch {
  const groups = new Map<string, Pick<AddedEvent, 'endpoints'> & { readonly group: number }>();
  const told = events.map(({ eventId, type, now, endpoints }) => {
    const name = endpoints.map(({ id }) => id).join();
    const { group } = groups.get(name) ?? { group: groups.size };
    groups.set(name, { group, endpoints });
    return [group, eventId, type, now] as const;
  });
  const heard = [...groups.values()].flatMap(({ group, endpoints }) =>
    endpoints.map(({ id, isListener }) => [group, id, isListener ? 0 : 1] as const),
  );
  return { told, heard };
}

/** Leaves out the events and endpoints that were deleted meanwhile, and locks the others against that. */
async function withoutGone(trx: Knex.Transaction, { told, heard }: Batch): Promise<Batch> {
  const there = async (name: string, ids: number[]) => {
    const found = trx(name).whereIn('id', ids).orderBy('id').select('id');
    const rows: { readonly id: number }[] = await (isPostgres(trx) ? found.forKeyShare() : found);
    return new Set(rows.map(({ id }) => Number(id)));
  };
  const endpoints = await there(
    'webhook_endpoints',
    heard.map(([, id]) => id),
  );
  const events = await there(
    'webhook_events',
    told.map(([, id]) => id),
  );
  return { told: told.filter(([, id]) => events.has(id)), heard: heard.filter(([, id]) => endpoints.has(id)) };
}

/**
 * Adds deliveries in one statement. Most events go to the same endpoints, so the database itself combines both: one row of
 * JSON for each delivery takes several times as long.
 */
async function insertDeliveries(trx: Knex.Transaction, { told, heard }: Batch): Promise<void> {
  await trx.raw(
    `WITH told (group_id, event_id, type, at) AS MATERIALIZED (SELECT ${cells(toldTypes)} FROM ?),
       heard (group_id, endpoint_id, is_sent) AS MATERIALIZED (SELECT ${cells(heardTypes)} FROM ?)
     INSERT INTO webhook_deliveries (endpoint_id, event_id, type, is_test, state, due, created_at)
     SELECT h.endpoint_id, t.event_id, t.type, 0, 'waiting', CASE WHEN h.is_sent = 1 THEN t.at END, t.at
     FROM told AS t JOIN heard AS h ON h.group_id = t.group_id ORDER BY t.event_id, h.endpoint_id`,
    [given(trx, jsonOf(told)), given(trx, jsonOf(heard))],
  );
}

const toldTypes = { group_id: 'integer', event_id: 'bigint', type: 'text', at: 'bigint' };
const heardTypes = { group_id: 'integer', endpoint_id: 'integer', is_sent: 'integer' };
