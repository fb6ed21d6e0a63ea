import type { Knex } from 'knex';
import {
  type Customer,
  type CustomerFilter,
  type CustomerLimits,
  type Customers,
  customerLimits,
  type FoundCustomers,
} from '../../../core/ports/customers.ts';
import { searchedText } from '../../../core/search-texts.ts';
import { comparableId, type Database, isPostgres } from '../database.ts';
import { lastCharacter } from '../last-character.ts';
import type { OrderRow } from './order-rows.ts';

/** Steps from address to address in an index, and sums only the orders of the addresses of the page. */
export function createSqlCustomers(
  { read, readStale = read }: Database,
  limits: CustomerLimits = customerLimits,
): Customers {
  return {
    list: (filter) => readStale((knex) => listCustomers(knex, filter, limits)),
  };
}

async function listCustomers(knex: Knex, filter: CustomerFilter, limits: CustomerLimits): Promise<FoundCustomers> {
  const found = await addressesOf(knex, filter);
  const emails = found.slice(0, filter.limit);
  if (emails.length === 0) return { items: [], next: undefined };
  const sums = await sumsOf(knex, filter, emails, limits.orders);
  const [names, visits] = [await namesOf(knex, sums), await lastVisits(knex, filter, emails, limits)];
  const items = emails.flatMap((email) => {
    const own = sums.filter((row) => row.email === email);
    return own.length === 0
      ? []
      : [toCustomer(own, names.get(newestIn(own)) ?? null, visits.get(email) ?? null, limits.orders)];
  });
  return { items, next: found.length > filter.limit ? emails.at(-1) : undefined };
}

/** The columns of the index before the address, with the values of all orders of the list. */
function scopeOf({ isLive, sellerId }: CustomerFilter): readonly (readonly [column: string, value: number])[] {
  const mode = ['is_live', Number(isLive)] as const;
  return sellerId === undefined ? [mode] : [['seller_id', comparableId(sellerId)], mode];
}

/** The orders, as `o`. SQLite is told the index: if one customer has most orders, it would rather read the table. */
function ordersIn(knex: Knex, { sellerId }: CustomerFilter): Knex.Raw {
  const index = sellerId === undefined ? 'orders_customers' : 'orders_customers_of_seller';
  return knex.raw(`orders AS o${isPostgres(knex) ? '' : ` INDEXED BY ${index}`}`);
}

/** The address as the index compares it. */
const emailIn = (knex: Knex, table: string) => `${table}.email${isPostgres(knex) ? ' COLLATE "C"' : ''}`;

/** Returns the addresses of the page, and one more if there is another page. Reads one row of the index for each. */
async function addressesOf(knex: Knex, filter: CustomerFilter): Promise<string[]> {
  const start = searchedText(filter.search);
  const { after } = filter;
  const isAfter = after !== undefined && after >= start;
  const first = nextAddress(knex, filter, isAfter ? '>' : '>=', '?', [isAfter ? after : start]);
  const next = nextAddress(knex, filter, '>', 'people.email', []);
  const end = `${start}${lastCharacter}`;
  const rows: { email: string }[] = await knex
    .withRecursive(
      'people',
      knex.raw(
        `SELECT ${first.sql} AS email, 1 AS place
         UNION ALL SELECT ${next.sql}, place + 1 FROM people WHERE people.email <= ? AND place <= ?`,
        [...first.values, ...next.values, end, filter.limit],
      ),
    )
    .from('people')
    .where('email', '<=', end)
    .orderBy('place')
    .select('email');
  return rows.map(({ email }) => email);
}

/**
 * The smallest address behind another one, as an expression: NULL if there is none. On Postgres, it reads on behind the range, so
 * that no other index and no statistics look better: see `inRange`.
 */
function nextAddress(
  knex: Knex,
  filter: CustomerFilter,
  sign: '>' | '>=',
  than: string,
  values: readonly string[],
): { readonly sql: string; readonly values: (string | number)[] } {
  const scope = scopeOf(filter);
  const columns = scope.map(([column]) => `o.${column}`);
  const equal = columns.map((column) => `${column} = ?`).join(' AND ');
  const own = scope.map(([, value]) => value);
  const email = emailIn(knex, 'o');
  if (!isPostgres(knex)) {
    const where = `o.paid_at IS NOT NULL AND ${equal} AND o.email ${sign} ${than}`;
    return {
      sql: `(SELECT o.email FROM ${ordersIn(knex, filter)} WHERE ${where} ORDER BY o.email LIMIT 1)`,
      values: [...own, ...values],
    };
  }
  const all = [...columns, email];
  const unknown = own.map((_, at) => (at === 0 ? '(SELECT CAST(? AS integer))' : '?'));
  return {
    sql: `(SELECT CASE WHEN ${equal} THEN ${email} END FROM ${ordersIn(knex, filter)}
      WHERE o.paid_at IS NOT NULL AND (${all}) ${sign} (${[...unknown, than]}) ORDER BY ${all} LIMIT 1)`,
    values: [...own, ...own, ...values],
  };
}

/**
 * The newest orders of an address, with the parts of bundles. Postgres does not know the values when it plans. So it does not
 * take the address for a frequent one, and finds it in the index.
 */
function newestOf(knex: Knex, filter: CustomerFilter, email: string, count: number): Knex.QueryBuilder {
  const query = knex
    .from(ordersIn(knex, filter))
    .whereNotNull('o.paid_at')
    .orderBy('o.id', 'desc')
    .limit(count)
    .select('o.*');
  const unknown = (type: string) => (isPostgres(knex) ? `(SELECT CAST(? AS ${type}))` : '?');
  for (const [column, value] of scopeOf(filter)) query.whereRaw(`o.${column} = ${unknown('integer')}`, [value]);
  return query.whereRaw(`${emailIn(knex, 'o')} = ${unknown('text')}`, [email]);
}

interface SumRow {
  readonly email: string;
  readonly currency: string;
  readonly rows: number | string;
  readonly orders: number | string;
  readonly licenses: number | string;
  readonly kept: number | string;
  readonly first: number;
  readonly last: number;
  readonly newest: number;
}

/** `keptOf`, in SQL: a payment whose dispute was lost is charged back. */
const kept = "CASE WHEN state = 'charged_back' OR refunded > total THEN 0 ELSE total - refunded END";

/** Sums the newest orders of each address by currency. */
async function sumsOf(knex: Knex, filter: CustomerFilter, emails: readonly string[], most: number): Promise<SumRow[]> {
  const arms = emails.map((email) =>
    knex
      .from(newestOf(knex, filter, email, most).as('a'))
      .select('email', 'currency', 'total', 'refunded', 'state', 'paid_at', 'license_key', 'part_of', 'id'),
  );
  const whole = 'part_of IS NULL';
  return await knex
    .from(knex.unionAll(arms).as('all_orders'))
    .groupBy('email', 'currency')
    .orderBy(['email', 'currency'])
    .select(
      'email',
      'currency',
      knex.raw('count(*) AS rows'),
      knex.raw(`count(CASE WHEN ${whole} THEN 1 END) AS orders`),
      knex.raw('count(license_key) AS licenses'),
      knex.raw(`CAST(coalesce(sum(CASE WHEN ${whole} THEN ${kept} END), 0) AS bigint) AS kept`),
      knex.raw('min(paid_at) AS first'),
      knex.raw('max(paid_at) AS last'),
      knex.raw(`max(CASE WHEN ${whole} THEN id END) AS newest`),
    );
}

function toCustomer(own: readonly SumRow[], name: string | null, visit: number | null, most: number): Customer {
  const sum = (column: 'rows' | 'orders' | 'licenses') => own.reduce((all, row) => all + Number(row[column]), 0);
  const times = (column: 'first' | 'last') => own.map((row) => Number(row[column]));
  return {
    email: own[0]?.email ?? '',
    name,
    orders: sum('orders'),
    licenses: sum('licenses'),
    kept: own.map(({ currency, kept: amount }) => ({ currency, amount: Number(amount) })),
    firstOrderAt: Math.min(...times('first')),
    lastOrderAt: Math.max(...times('last')),
    lastVisitAt: visit,
    mayHaveMore: sum('rows') >= most,
  };
}

function newestIn(own: readonly SumRow[]): number {
  return Math.max(...own.map(({ newest }) => newest));
}

/** The names in the newest orders, by the ids of these. */
async function namesOf(knex: Knex, sums: readonly SumRow[]): Promise<ReadonlyMap<number, string | null>> {
  const ids = sums.map(({ newest }) => newest).filter((id) => id !== null);
  const rows: Pick<OrderRow, 'id' | 'buyer_name'>[] = await knex('orders')
    .whereIn('id', ids)
    .select('id', 'buyer_name');
  return new Map(rows.map(({ id, buyer_name }) => [id, buyer_name]));
}

/** When a domain was verified last, by address. Looks at some licenses of each address, and at some domains of each of these. */
async function lastVisits(
  knex: Knex,
  filter: CustomerFilter,
  emails: readonly string[],
  limits: CustomerLimits,
): Promise<ReadonlyMap<string, number>> {
  const arms = emails.map((email) =>
    knex
      .from(newestOf(knex, filter, email, limits.orders).as('a'))
      .whereNotNull('license_key')
      .orderBy('id', 'desc')
      .limit(limits.licenses)
      .select('email', 'license_key'),
  );
  const keys: { email: string; license_key: string }[] = await knex.unionAll(
    arms.map((arm) => knex.from(arm.as('b')).select('email', 'license_key')),
  );
  const rows: { key: string; retired: number | null; visit: number | null }[] = await knex('licenses as l')
    .whereIn(
      'l.key',
      keys.map(({ license_key }) => license_key),
    )
    .select(
      'l.key',
      'l.retired_last_verified_at as retired',
      knex.raw(
        `(SELECT max(last_verified_at) FROM
           (SELECT a.last_verified_at FROM activations AS a WHERE a.license_id = l.id LIMIT ?) AS looked) AS visit`,
        [limits.domains],
      ),
    );
  const byKey = new Map(rows.map(({ key, retired, visit }) => [key, Math.max(retired ?? 0, visit ?? 0)]));
  const visits = new Map<string, number>();
  for (const { email, license_key } of keys) {
    const visit = Math.max(visits.get(email) ?? 0, byKey.get(license_key) ?? 0);
    if (visit > 0) visits.set(email, visit);
  }
  return visits;
}
