import type { Knex } from 'knex';
import { dayOf } from '../../../core/day-text.ts';
import { type OrderId, toOrderId, type UserId } from '../../../core/id.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type {
  BoughtFilter,
  DayOfRevenue,
  FoundOrders,
  OrderFilter,
  OrdersToDo,
} from '../../../core/ports/order-store.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { searchedText } from '../../../core/search-texts.ts';
import { day, hour } from '../../../core/time.ts';
import { builtOnce } from '../built-once.ts';
import { comparableId, largestId } from '../database.ts';
import { type Cells, type IndexRange, inRange } from '../index-range.ts';
import { lastCharacter } from '../last-character.ts';
import { type OrderRow, toOrder } from './order-rows.ts';
import { whereSubscribed } from './order-subscriptions.ts';

/** The number of orders, or of matching texts, that one call looks at. */
const lookedAt = 2_000;

/** Ids are given a little later than times, and by clocks that can differ. */
const slack = hour;

/**
 * Reads one page of `OrderStore.search`. The candidates are ranges of an index. The other conditions are checked on a
 * bounded number of candidates.
 */
export async function searchOrders(knex: Knex, filter: OrderFilter): Promise<FoundOrders> {
  if (filter.id !== undefined) return await single(knex, filter);
  const start = searchedText(filter.search);
  return start === '' ? await newest(knex, filter) : await matching(knex, filter, start);
}

async function single(knex: Knex, filter: OrderFilter): Promise<FoundOrders> {
  const rows: OrderRow[] = await knex('orders').modify((query) => isWanted(query, 'orders', filter));
  return { items: rows.map(toOrder), next: undefined };
}

/** The first columns of the index that the candidates are in: one range, or one for each state. */
function scopesOf({ isLive, sellerId, productId, states, subscription }: OrderFilter): Cells[] {
  if (subscription !== undefined) return [reachOf({ isLive, sellerId })];
  if (productId !== undefined) return [{ product_id: comparableId(productId) }];
  const reach = reachOf({ isLive, sellerId });
  return states === undefined ? [reach] : states.map((state) => ({ ...reach, state }));
}

function reachOf({ isLive, sellerId }: Pick<OrderFilter, 'isLive' | 'sellerId'>): Cells {
  return { ...(sellerId !== undefined && { seller_id: comparableId(sellerId) }), is_live: Number(isLive) };
}

interface Part {
  readonly rows: readonly OrderRow[];
  /** The range was read down to this id. 0: to its end. */
  readonly end: number;
}

async function newest(knex: Knex, filter: OrderFilter): Promise<FoundOrders> {
  const scopes = scopesOf(filter);
  const count = Math.max(filter.limit + 1, Math.floor(lookedAt / Math.max(scopes.length, 1)));
  const below = await startOf(knex, filter);
  const parts: Part[] = [];
  for (const within of scopes) parts.push(await partOf(knex, filter, within, below, count));
  // Below the place where one range ended, orders of that range may be missing.
  const end = Math.max(0, ...parts.map((part) => part.end));
  const rows = parts.flatMap((part) => part.rows.filter(({ id }) => id >= end)).sort((one, other) => other.id - one.id);
  const items = rows.slice(0, filter.limit).map(toOrder);
  if (filter.isOnlyPage) return { items, next: undefined };
  const last = rows.length > filter.limit ? items.at(-1)?.id : end;
  return { items, next: last ? { id: toOrderId(last), text: null } : undefined };
}

/** Returns an id that is larger than those of all orders of the page. */
async function startOf(knex: Knex, { after, to }: OrderFilter): Promise<number> {
  if (after !== undefined) return comparableId(after.id);
  if (to === undefined) return largestId;
  const later: Pick<OrderRow, 'id'> | undefined = await knex('orders')
    .where('created_at', '>=', to + slack)
    .orderBy('created_at')
    .first('id');
  return later?.id ?? largestId;
}

async function partOf(knex: Knex, filter: OrderFilter, within: Cells, below: number, count: number): Promise<Part> {
  const range: IndexRange = { table: 'o', within, from: { id: below }, isAfter: true, direction: 'desc' };
  const { sellerId, isLive, productId, from: since, to, states, limit, subscription } = filter;
  const candidates = () => {
    const all = inRange(knex, knex('orders as o').select('o.*'), range, count);
    if (subscription !== undefined) whereSubscribed(all, 'o', 'any');
    return all;
  };
  const isPlain = [productId, since, to, subscription].every((one) => one === undefined);
  const rows: OrderRow[] =
    isPlain && sellerId !== undefined
      ? await newestOf(
          knex,
          JSON.stringify({ state: within.state, states, limit, count }),
          comparableId(sellerId),
          Number(isLive),
          below,
        )
      : await wantedIn(knex, candidates(), filter, within);
  if (rows.length > filter.limit) return { rows, end: rows.at(-1)?.id ?? 0 };
  if (filter.isOnlyPage) return { rows, end: 0 };
  const last: OrderRow | undefined = await candidates()
    .offset(count - 1)
    .first();
  const { from = 0 } = filter;
  const isInside = last && Object.entries(within).every(([name, value]) => Reflect.get(last, name) === value);
  return { rows, end: last && isInside && last.created_at >= from - slack ? last.id : 0 };
}

function wantedIn(knex: Knex, candidates: Knex.QueryBuilder, filter: OrderFilter, within: Cells): Knex.QueryBuilder {
  return knex
    .from(candidates.as('c'))
    .where(within)
    .modify((query) => isWanted(query, 'c', filter))
    .orderBy('id', 'desc')
    .limit(filter.limit + 1);
}

/** The orders of a seller below an id. The shape is JSON of the states and limits. */
const newestOf = builtOnce<string, OrderRow[], [number, number, number]>((knex, shape, seller_id, is_live, below) => {
  const { state, states, limit, count } = JSON.parse(shape);
  const within: Cells = { seller_id, is_live, ...(state && { state }) };
  const range: IndexRange = { table: 'o', within, from: { id: below }, isAfter: true, direction: 'desc' };
  return knex
    .from(inRange(knex, knex('orders as o').select('o.*'), range, count).as('c'))
    .where(within)
    .whereNull('c.part_of')
    .modify((query) => {
      if (states) query.whereIn('c.state', states);
    })
    .orderBy('id', 'desc')
    .limit(limit + 1);
});

/** Adds the conditions of a filter. */
function isWanted(
  query: Knex.QueryBuilder,
  table: string,
  { id, isLive, sellerId, productId, states, subscription, from, to }: OrderFilter,
): void {
  const column = (name: keyof OrderRow) => `${table}.${name}`;
  query.where(column('is_live'), Number(isLive)).whereNull(column('part_of'));
  if (id !== undefined) query.where(column('id'), comparableId(id));
  if (sellerId !== undefined) query.where(column('seller_id'), comparableId(sellerId));
  if (productId !== undefined) query.where(column('product_id'), comparableId(productId));
  if (states !== undefined) query.whereIn(column('state'), [...states]);
  if (subscription !== undefined) whereSubscribed(query, table, subscription);
  if (from !== undefined) query.where(column('created_at'), '>=', from);
  if (to !== undefined) query.where(column('created_at'), '<', to);
}

type FoundRow = OrderRow & { readonly found: string };
type TextRow = { readonly order_id: number; readonly text: string };

async function matching(knex: Knex, filter: OrderFilter, start: string): Promise<FoundOrders> {
  const { after, limit } = filter;
  const candidates = () =>
    knex<TextRow>('order_texts')
      .where(reachOf(filter))
      .whereRaw('text >= ? AND text <= ?', [start, `${start}${lastCharacter}`])
      .modify((query) => {
        if (after) query.whereRaw('(text, order_id) > (?, ?)', [after.text ?? '', comparableId(after.id)]);
      })
      .orderBy(['text', 'order_id']);
  const rows: FoundRow[] = await knex
    .from(candidates().select('order_id', 'text').limit(lookedAt).as('c'))
    .join('orders as o', 'o.id', 'c.order_id')
    .select('o.*', 'c.text as found')
    .modify((query) => isWanted(query, 'o', filter))
    // Only under the first text that matches.
    .whereRaw(
      '(SELECT NOT EXISTS (SELECT 1 FROM order_texts AS f WHERE f.order_id = c.order_id AND f.text >= ? AND f.text < c.text))',
      [start],
    )
    .orderBy(['c.text', 'c.order_id'])
    .limit(limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length > limit && last) {
    return { items: items.map(toOrder), next: { id: toOrderId(last.id), text: last.found } };
  }
  const end: TextRow | undefined = await candidates()
    .offset(lookedAt - 1)
    .first('order_id', 'text');
  return { items: items.map(toOrder), next: end && { id: toOrderId(end.order_id), text: end.text } };
}

/** `OrderStore.listOf`. Looks at the newest orders of one range of an index. */
export async function ordersOfBuyer(
  knex: Knex,
  buyerId: UserId,
  { before, search, hasLicense = false, limit }: BoughtFilter,
): Promise<{ readonly items: readonly Order[]; readonly next: OrderId | undefined }> {
  const start = searchedText(search);
  const isPlain = start === '' && !hasLicense;
  const candidates = () =>
    knex('orders as o')
      .where({ 'o.buyer_id': comparableId(buyerId), 'o.part_of': null })
      .modify((query) => {
        if (before !== undefined) query.where('o.id', '<', comparableId(before));
      })
      .orderBy('o.id', 'desc');
  const rows: OrderRow[] = await knex
    .from(
      candidates()
        .select('o.*')
        .limit(isPlain ? limit + 1 : lookedAt)
        .as('c'),
    )
    .modify((query) => {
      if (hasLicense) query.whereNotNull('c.paid_at').whereNull('c.renews');
      if (start === '') return;
      const texts = knex('order_texts as t').select(knex.raw('1')).whereRaw('t.order_id = c.id');
      query.whereExists(texts.whereRaw('t.text >= ? AND t.text <= ?', [start, `${start}${lastCharacter}`]));
    })
    .orderBy('c.id', 'desc')
    .limit(limit + 1);
  const items = rows.slice(0, limit).map(toOrder);
  if (rows.length > limit) return { items, next: items.at(-1)?.id };
  const end: { id: number } | undefined = isPlain
    ? undefined
    : await candidates()
        .offset(lookedAt - 1)
        .first('o.id');
  return { items, next: end && toOrderId(end.id) };
}

/** `OrderStore.countToDo`: reads three short ranges of one index in one statement. */
export async function countToDo(
  knex: Knex,
  { sellerId, isLive }: Pick<Order, 'isLive'> & { readonly sellerId: UserId },
  most: number,
): Promise<OrdersToDo> {
  const rows = await toDo(knex, most, comparableId(sellerId), Number(isLive));
  const countOf = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
  return { disputed: countOf('disputed'), held: countOf('held'), byHand: countOf('open') };
}

/** The shape is the most of each that are counted. */
const toDo = builtOnce<number, { readonly state: string; readonly count: number }[], [number, number]>(
  (knex, most, seller_id, is_live) => {
    const ranges = (['disputed', 'held', 'open'] as const).map((state) => {
      const within = { seller_id, is_live, state };
      const range: IndexRange = { table: 'o', within, from: { id: largestId }, isAfter: true, direction: 'desc' };
      const newest = inRange(knex, knex('orders as o').select('o.*'), range, most);
      return knex.from(newest.as('c')).where(within).whereNull('part_of').select('state', 'provider');
    });
    return knex
      .from(knex.unionAll(ranges).as('found'))
      .whereRaw("(state <> 'open' OR provider = 'manual')")
      .select('state')
      .count({ count: '*' })
      .groupBy('state');
  },
);

interface RevenueRow extends Omit<DayOfRevenue, 'day'> {
  readonly day: number;
}

/** The part of a payment that the seller did not keep: see `keptOf`. */
const paidBack = "CASE WHEN state = 'charged_back' OR refunded > total THEN total ELSE refunded END";

/** Reads one range of an index by the time of payment. */
export async function revenueByDay(
  knex: Knex,
  { isLive, sellerId, productId, from }: Pick<OrderFilter, 'isLive' | 'sellerId' | 'productId'> & { from: Instant },
): Promise<DayOfRevenue[]> {
  const rows: RevenueRow[] = await knex('orders')
    .where({
      ...reachOf({ isLive, sellerId }),
      ...(productId !== undefined && { product_id: comparableId(productId) }),
    })
    .where('paid_at', '>=', from)
    .whereNull('part_of')
    .select({ day: knex.raw(`paid_at / ${day}`), currency: 'currency' })
    .count({ orders: '*' })
    .sum({ paid: 'total', refunded: knex.raw(paidBack) })
    .groupByRaw(`paid_at / ${day}, currency`)
    .orderByRaw('1, 2');
  return rows.map((row) => ({
    day: dayOf(Number(row.day) * day),
    currency: row.currency,
    orders: Number(row.orders),
    paid: Number(row.paid),
    refunded: Number(row.refunded),
  }));
}
