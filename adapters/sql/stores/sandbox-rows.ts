import type { Knex } from 'knex';
import { type EventType, eventTypes } from '../../../core/events/event.ts';
import { archivedTables } from '../archive/tables.ts';
import type { Database } from '../database.ts';
import { inSteps } from '../in-steps.ts';
import { uncount } from './deployment-counting.ts';
import type { DeploymentRow } from './deployment-rows.ts';

/** Finds ids, or other values by which rows are known to belong to an account. */
type Values = (knex: Knex, id: number) => Knex.QueryBuilder;

/** The rows of an account in one table. */
interface Step {
  readonly table: string;
  readonly key: readonly string[];
  rows(knex: Knex, id: number): Knex.QueryBuilder;
  /** Deletes them, if that takes more than one statement. */
  remove?(trx: Knex.Transaction, rows: readonly Row[]): Promise<void>;
}

type Row = Readonly<Record<string, number | string>>;

const closed = 'sandbox_until IS NOT NULL AND suspended_at >= sandbox_until';

/** The accounts of the sandbox that are closed. Every step looks for its rows through them, so it finds none of others. */
export function closedAccounts(knex: Knex): Knex.QueryBuilder {
  return knex('users').whereRaw(closed);
}

const user: Values = (knex, id) => closedAccounts(knex).where({ id }).select('id');
const email: Values = (knex, id) => closedAccounts(knex).where({ id }).select('email');
const among =
  (table: string, column: string, values: Values, selected = 'id'): Values =>
  (knex, id) =>
    knex(table).whereIn(column, values(knex, id)).select(selected);

const products = among('products', 'owner_id', user);
const licenses = among('licenses', 'product_id', products);
const orders = among('orders', 'product_id', products);
const endpoints = among('webhook_endpoints', 'owner_id', user);
const deliveries = among('webhook_deliveries', 'endpoint_id', endpoints);
const deployments = among('deployments', 'user_id', user);
const formerKeys: Values = (knex, id) =>
  among('license_aliases', 'license_id', licenses, 'key')(knex, id).whereNotNull('key');

const keys = new Map(archivedTables.map(({ name, key }) => [name, Object.keys(key)]));

function step(table: string, column: string, values: Values, more: Partial<Step> = {}): Step {
  const rows: Step['rows'] = (knex, id) => knex(table).whereIn(column, values(knex, id));
  return { table, key: keys.get(table) ?? [column], rows, ...more };
}

/** Events whose subject is a thing of one kind, by what people see of it. Things of other kinds can have the same name. */
const eventsOf = {
  // `order.added` has the slug of the product.
  order: beginningWith('order', 'subscription').filter((type) => type !== 'order.added'),
  // An import of somebody else can leave out a key that is in use.
  license: beginningWith('license').filter((type) => type !== 'license.left_out'),
  product: [...beginningWith('product', 'rating'), 'order.added'],
  account: beginningWith('user', 'key', 'device', 'purchase'),
  /** Changes that an account can make only to its own things. */
  own: beginningWith('product', 'coupon', 'webhook', 'user', 'key', 'device'),
} as const satisfies Record<string, readonly EventType[]>;

function beginningWith(...kinds: readonly string[]): EventType[] {
  return eventTypes.filter((type) => kinds.includes(type.slice(0, type.indexOf('.'))));
}

const told = (subject: Values, kind: keyof typeof eventsOf) =>
  step('audit_log', 'subject', subject, {
    rows: (knex, id) => knex('audit_log').whereIn('subject', subject(knex, id)).whereIn('type', eventsOf[kind]),
  });

const tablesOfLicense = [
  ...['license_aliases', 'activations', 'license_instances', 'license_periods', 'license_texts'],
  ...['license_strays', 'license_stray_days', 'license_leaks', 'license_usage', 'usage_counted'],
];

/** The rows of an account. Those that refer to others come first. */
const steps: readonly Step[] = [
  step('sessions', 'user_id', user, { key: ['id'] }),
  step('api_keys', 'user_id', user),
  step('one_time_links', 'user_id', user, { key: ['digest'] }),
  step('device_logins', 'user_id', user, { key: ['digest'] }),
  ...['known_browsers', 'notifications', 'account_usage', 'uploads', 'seller_pages', 'purchases'].map((table) =>
    step(table, 'user_id', user),
  ),
  step('wallets', 'seller_id', user),
  step('invoice_profiles', 'seller_id', user),
  step('order_numbers', 'seller_id', user),
  step('owner_usage', 'owner_id', user, { key: ['owner_id', 'is_live', 'at'] }),
  step('idempotency_changes', 'owner', (knex, id) => requests(knex, id).select('owner')),
  step('idempotency', 'key', user, { rows: (knex, id) => requests(knex, id) }),

  step('webhook_verified', 'license_id', licenses, { key: ['product_id', 'license_id', 'domain', 'ordinal'] }),
  step('webhook_watched', 'product_id', products),

  step('work', 'subject_id', deployments, ofKind('deployment', deployments)),
  step('deployments', 'user_id', user, { remove: removeDeployments }),
  step('deployment_sums', 'user_id', user),
  step('deployment_sums', 'product_id', products),

  step('work', 'subject_id', orders, ofKind('order', orders)),
  step('usdc_transfers', 'quote_id', among('usdc_quotes', 'order_id', orders)),
  step('usdc_quotes', 'order_id', orders),
  step('usdc_claims', 'order_id', orders),
  step('usdc_sent_back', 'order_id', orders),
  step('ratings', 'product_id', products),
  step('product_stars', 'product_id', products),
  step('coupon_uses', 'order_id', orders),
  step('coupons', 'seller_id', user),
  step('order_texts', 'order_id', orders),
  told((knex, id) => orders(knex, id).clearSelect().select(asText(knex, 'id')), 'order'),
  step('orders', 'product_id', products),

  told(among('licenses', 'product_id', products, 'key'), 'license'),
  told(formerKeys, 'license'),
  ...tablesOfLicense.map(ofLicense),
  step('licenses', 'product_id', products, { remove: removeLicenses }),

  // Now nothing happens any more that an endpoint would be told.
  step('webhook_attempts', 'delivery_id', deliveries),
  step('webhook_deliveries', 'endpoint_id', endpoints, { remove: removeDeliveries }),
  step('webhook_hours', 'endpoint_id', endpoints),
  step('webhook_endpoints', 'owner_id', user),

  told(among('products', 'owner_id', user, 'slug'), 'product'),
  ...['release_codes', 'product_versions', 'product_texts', 'product_usage'].map((table) =>
    step(table, 'product_id', products),
  ),
  step('catalogue', 'id', products, { key: ['id'] }),
  step('products', 'owner_id', user),
  step('kept_files', 'user_id', user),
  step('audit_log', 'actor', email, { rows: doneBy }),
  told(email, 'account'),
];

/** The changes that the account made to its own things. The oldest is the event that added the account. */
function doneBy(knex: Knex, id: number): Knex.QueryBuilder {
  const first = knex('audit_log').whereIn('subject', email(knex, id)).where('type', 'user.added').min('id');
  return knex('audit_log')
    .whereIn('actor', email(knex, id))
    .where('id', '>=', first)
    .where((either) =>
      either.whereIn('type', eventsOf.own).orWhere((license) =>
        // A former key that the account has removed is of no license any more.
        license
          .whereIn('type', eventsOf.license)
          .whereNotExists(knex('licenses').whereRaw('licenses.key = audit_log.subject').select('id'))
          .whereNotExists(knex('license_aliases').whereRaw('license_aliases.key = audit_log.subject').select('id')),
      ),
    );
}

/** The requests with an idempotency key. Their rows begin with the id of the account. */
function requests(knex: Knex, id: number): Knex.QueryBuilder {
  return knex('idempotency')
    .whereExists(user(knex, id))
    .where((either) => either.where('key', 'like', `${id}:%`).orWhere('key', 'like', `form:${id}:%`));
}

function ofLicense(table: string): Step {
  return step(table, 'license_id', licenses);
}

function ofKind(kind: 'order' | 'deployment', subjects: Values): Pick<Step, 'rows'> {
  return { rows: (knex, id) => knex('work').where({ kind }).whereIn('subject_id', subjects(knex, id)) };
}

function asText(knex: Knex, column: string): Knex.Raw {
  return knex.raw('CAST(?? AS varchar(20))', [column]);
}

/** With the events that no other endpoint gets. */
async function removeDeliveries(trx: Knex.Transaction, rows: readonly Row[]): Promise<void> {
  const ids = rows.map(({ id }) => id ?? 0);
  const events: number[] = await trx('webhook_deliveries').whereIn('id', ids).distinct().pluck('event_id');
  await trx('webhook_deliveries').whereIn('id', ids).delete();
  await trx('webhook_events')
    .whereIn('id', events)
    .whereNotExists(trx('webhook_deliveries').whereRaw('event_id = webhook_events.id').select('id'))
    .delete();
}

/**
 * The license API goes on until a license is deleted. So what was added meanwhile goes with it, while its row is locked: then
 * nothing can be added.
 */
async function removeLicenses(trx: Knex.Transaction, rows: readonly Row[]): Promise<void> {
  const ids = rows.map(({ id }) => id ?? 0);
  const held: string[] = await trx('licenses').whereIn('id', ids).orderBy('id').forUpdate().pluck('key');
  await trx('audit_log').whereIn('subject', held).whereIn('type', eventsOf.license).delete();
  for (const table of tablesOfLicense) await trx(table).whereIn('license_id', ids).delete();
  await trx('licenses').whereIn('id', ids).delete();
}

async function removeDeployments(trx: Knex.Transaction, rows: readonly Row[]): Promise<void> {
  const ids = rows.map(({ id }) => id ?? 0);
  await uncount(trx, await trx<DeploymentRow>('deployments').whereIn('id', ids).orderBy('id').forUpdate());
  await trx('deployments').whereIn('id', ids).delete();
}

/** So few that the only writer of SQLite is held for some milliseconds. */
const rowsInStep = 200;

/** Deletes all rows of a closed account but its own, in short steps. Returns false if `goOn` ended it. */
export async function removeRows(
  { read, write }: Pick<Database, 'read' | 'write'>,
  id: number,
  goOn: () => boolean,
): Promise<boolean> {
  for (const { table, key, rows, remove } of steps) {
    await inSteps(async () => {
      if (!goOn()) return undefined;
      const found: Row[] = await read((knex) => rows(knex, id).limit(rowsInStep).select(key));
      if (found.length === 0) return undefined;
      return await write(async (trx) => {
        if (remove) await remove(trx, found);
        else
          await trx(table)
            .whereIn(
              [...key],
              found.map((row) => key.map((column) => row[column] ?? '')),
            )
            .delete();
        return found.length;
      });
    });
  }
  return goOn();
}
