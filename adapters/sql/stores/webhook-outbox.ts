import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { type Event, isOfOrder } from '../../../core/events/event.ts';
import { toProductId, toUserId } from '../../../core/id.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { type Endpoint, receives } from '../../../core/webhooks/endpoint.ts';
import {
  happeningsOfLicense,
  happeningsOfOrder,
  happeningsOfProduct,
  isTold,
  type ToldLicense,
  type ToldProduct,
} from '../../../core/webhooks/happenings.ts';
import type { Happening } from '../../../core/webhooks/webhook-event.ts';
import { bodyOf } from '../../webhook-body.ts';
import { ringAfter } from '../ring.ts';
import { fanOut } from '../webhook-fan-out.ts';
import { type DeliveryRow, isListener, toSubscription } from './webhook-rows.ts';

const rowsAtOnce = 500;

/** An endpoint that is on, with what decides which events it gets. */
export interface Subscriber extends Pick<Endpoint, 'events' | 'productId' | 'off'> {
  readonly id: number;
  readonly onSince: Instant;
  /** Whether its owner fetches the events, because it has no address. */
  readonly isListener: boolean;
}

/** A product with the endpoints of its owner in its mode. */
export interface ProductWithSubscribers {
  readonly product: ToldProduct;
  readonly subscribers: readonly Subscriber[];
}

interface SubscriberRow {
  readonly id: number;
  readonly events: string;
  readonly only: number | null;
  readonly on_since: Instant;
  readonly url: string;
  readonly product_id: number;
  readonly title: string;
  readonly slug: string;
  readonly owner_id: number;
  readonly is_live: number;
}

/** A change of a license that is saved in this transaction. */
export interface LicenseEvent {
  readonly event: Event;
  readonly license: ToldLicense & { readonly productId: number };
}

/**
 * Adds the deliveries of webhooks about changed licenses, in the transaction of the changes. Reads once, and writes nothing
 * if nobody listens.
 */
export async function tellOfLicenses(trx: Knex.Transaction, changes: readonly LicenseEvent[]): Promise<void> {
  const told = changes.filter(({ event }) => isTold(event.type));
  await tellOfEach(
    trx,
    told.map(({ license, event }) => ({ productId: license.productId, license, event })),
    ({ license, event }, { product, subscribers }) => toAll(happeningsOfLicense(event, license, product), subscribers),
  );
}

/** Adds the deliveries about things of products. `told` returns what the subscribers of the product are told of one. */
export async function tellOfEach<Thing extends { readonly productId: number }>(
  trx: Knex.Transaction,
  things: readonly Thing[],
  told: (thing: Thing, found: ProductWithSubscribers) => readonly ToTell[],
  now?: Instant,
): Promise<void> {
  const products = await subscribersOf(
    trx,
    things.map(({ productId }) => productId),
  );
  const all = things.flatMap((thing) => {
    const found = products.get(thing.productId);
    return found ? told(thing, found) : [];
  });
  await addDeliveries(trx, all, now);
}

/** The same about a changed product. */
export async function tellOfProduct(trx: Knex.Transaction, event: Event, product: Product): Promise<void> {
  const happenings = happeningsOfProduct(event, product);
  if (happenings.length === 0) return;
  const { subscribers = [] } = (await subscribersOf(trx, [product.id])).get(product.id) ?? {};
  await addDeliveries(trx, toAll(happenings, subscribers));
}

/** The same about a changed order, with its parts. */
export async function tellOfOrder(
  trx: Knex.Transaction,
  events: readonly Event[],
  order: Order,
  parts: readonly Order[],
): Promise<void> {
  const told = events.filter(({ type }) => isOfOrder(type) && isTold(type));
  if (told.length === 0) return;
  const found = (await subscribersOf(trx, [order.productId])).get(order.productId);
  if (found === undefined) return;
  const happenings = told.flatMap((event) => happeningsOfOrder(event, order, parts, found.product));
  await addDeliveries(trx, toAll(happenings, found.subscribers));
}

/** Returns those of the products that somebody listens to, by id. Locks nothing. */
export async function subscribersOf(
  knex: Knex,
  productIds: readonly number[],
): Promise<Map<number, ProductWithSubscribers>> {
  const ids = [...new Set(productIds)];
  if (ids.length === 0) return new Map();
  const rows: SubscriberRow[] = await knex('products as p')
    .join('webhook_endpoints as e', (on) => on.on('e.owner_id', 'p.owner_id').andOn('e.is_live', 'p.is_live'))
    .whereIn('p.id', ids)
    .whereNull('e.off_reason')
    .select('e.id', 'e.events', 'e.product_id as only', 'e.on_since', 'e.url')
    .select('p.id as product_id', 'p.title', 'p.slug', 'p.owner_id', 'p.is_live');
  const found = new Map<number, ProductWithSubscribers>();
  for (const row of rows) {
    const before = found.get(row.product_id);
    const { subscribers = [], product = toToldProduct(row) } = before ?? {};
    found.set(row.product_id, { product, subscribers: [...subscribers, toSubscriber(row)] });
  }
  return found;
}

/** An event with those who may get it. */
export interface ToTell {
  readonly happening: Happening;
  readonly subscribers: readonly Subscriber[];
}

/** Tells each subscriber of each event. */
export function toAll(happenings: readonly Happening[], subscribers: readonly Subscriber[]): ToTell[] {
  return happenings.map((happening) => ({ happening, subscribers }));
}

/**
 * Adds each event that somebody gets, with its body and its deliveries, due at once. Those that are fetched are never due.
 * The deliveries of large changes follow after the commit, see `fanOut`.
 */
export async function addDeliveries(trx: Knex.Transaction, told: readonly ToTell[], now?: Instant): Promise<void> {
  const heard = told.flatMap(({ happening, subscribers }) => {
    const endpoints = subscribers.filter((one) => receives(one, happening));
    return endpoints.length === 0 ? [] : [{ happening, endpoints }];
  });
  const ids: number[] = [];
  for (let start = 0; start < heard.length; start += rowsAtOnce) {
    const some = heard.slice(start, start + rowsAtOnce).map(({ happening }) => happening);
    ids.push(...(await addEvents(trx, some, now)));
  }
  const added = ids.flatMap((eventId, index) => {
    const { happening, endpoints = [] } = heard[index] ?? {};
    return happening ? [{ eventId, type: happening.type, now: now ?? happening.at, endpoints }] : [];
  });
  if (added.length === 0) return;
  await fanOut(trx, added);
  ringAfter(trx);
}

/** Adds events and returns their row numbers, in the same order. */
export async function addEvents(
  trx: Knex.Transaction,
  happenings: readonly Happening[],
  now?: Instant,
): Promise<number[]> {
  const events = happenings.map((happening) => {
    const name = `evt_${randomBytes(16).toString('hex')}`;
    return { name, body: bodyOf(happening, name), created_at: now ?? happening.at };
  });
  const rows: { id: number; name: string }[] = await trx('webhook_events').insert(events).returning(['id', 'name']);
  const ids = new Map(rows.map(({ id, name }) => [name, id]));
  return events.flatMap(({ name }) => ids.get(name) ?? []);
}

type NewDeliveryRow = Omit<DeliveryRow, 'id' | 'attempts' | 'made' | 'fault' | 'attempted_at'>;

/** The delivery of a test event. Those of changes are written by `webhook-fan-out.ts`, in SQL. */
export function sampleDelivery(
  { id, isListener }: Pick<Subscriber, 'id' | 'isListener'>,
  eventId: number,
  type: Happening['type'],
  now: Instant,
): NewDeliveryRow {
  return {
    endpoint_id: id,
    event_id: eventId,
    type,
    is_test: 1,
    state: 'waiting',
    due: isListener ? null : now,
    created_at: now,
  };
}

function toSubscriber({ id, events, only, on_since, url }: SubscriberRow): Subscriber {
  return {
    id,
    events: toSubscription(events),
    productId: only === null ? null : toProductId(only),
    off: null,
    onSince: on_since,
    isListener: isListener({ url }),
  };
}

function toToldProduct(row: SubscriberRow): ToldProduct {
  const { product_id: id, title, slug, owner_id: ownerId, is_live: isLive } = row;
  return { id: toProductId(id), title, slug, ownerId: toUserId(ownerId), isLive: isLive === 1 };
}
