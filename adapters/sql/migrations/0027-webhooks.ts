import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/**
 * Webhooks: the endpoints of sellers with their turns, the events with their bodies, the deliveries of events to endpoints,
 * and the attempts. Deliveries have no foreign key to their endpoint, because Postgres would lock the endpoint for each of
 * them, in every transaction that changes a license. The deliveries of a removed endpoint stay, hidden, until they are
 * old.
 */
export const webhooks: Migration = {
  name: '0027-webhooks',
  async up(trx) {
    const clustered = isPostgres(trx) ? '' : 'WITHOUT ROWID';
    await trx.schema.createTable('webhook_endpoints', (table) => {
      table.increments('id');
      table.integer('owner_id').notNullable().references('users.id');
      table.integer('is_live').notNullable();
      table.text('url').notNullable();
      table.text('description').notNullable();
      // `*`, or types with blanks in between.
      table.text('events').notNullable();
      table.integer('product_id').references('products.id');
      table.text('secret').notNullable();
      table.text('old_secret');
      table.bigInteger('old_secret_until');
      table.string('off_reason');
      // The time when it was last switched on. It gets no earlier events.
      table.bigInteger('on_since').notNullable();
      table.bigInteger('failing_since');
      table.bigInteger('failed_at');
      table.bigInteger('warned_at');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at').notNullable();
      table.integer('turn').notNullable().defaultTo(0);
      table.bigInteger('claimed_at').notNullable().defaultTo(0);
      table.bigInteger('leased_until').notNullable().defaultTo(0);
      table.index(['owner_id', 'is_live', 'id']);
      table.index(['is_live', 'id']);
    });
    await trx.schema.createTable('webhook_events', (table) => {
      table.bigIncrements('id');
      // The id that receivers see.
      table.string('name').notNullable();
      table.text('body').notNullable();
      table.bigInteger('created_at').notNullable().index();
    });
    await trx.schema.createTable('webhook_deliveries', (table) => {
      table.bigIncrements('id');
      table.integer('endpoint_id').notNullable();
      table.bigInteger('event_id').notNullable().references('webhook_events.id').index();
      table.string('type').notNullable();
      table.integer('is_test').notNullable().defaultTo(0);
      table.string('state').notNullable();
      // The attempts since it was last queued, and all attempts.
      table.integer('attempts').notNullable().defaultTo(0);
      table.integer('made').notNullable().defaultTo(0);
      // Set only while it waits.
      table.bigInteger('due');
      table.string('fault');
      table.bigInteger('attempted_at');
      table.bigInteger('created_at').notNullable();
      table.index(['endpoint_id', 'id']);
      table.index(['endpoint_id', 'state', 'id']);
      table.index(['endpoint_id', 'type', 'id']);
    });
    await trx.raw(
      'CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, due, id) WHERE due IS NOT NULL',
    );
    await trx.raw(
      "CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (endpoint_id, attempted_at, fault) WHERE state = 'failed'",
    );
    await trx.raw(`CREATE TABLE webhook_attempts (
      delivery_id bigint NOT NULL REFERENCES webhook_deliveries (id),
      number integer NOT NULL,
      at bigint NOT NULL,
      request text NOT NULL,
      answer text,
      fault text,
      detail text NOT NULL,
      duration integer NOT NULL,
      PRIMARY KEY (delivery_id, number)
    ) ${clustered}`);
    await trx.raw(`CREATE TABLE webhook_hours (
      endpoint_id integer NOT NULL,
      hour bigint NOT NULL,
      delivered integer NOT NULL,
      failed integer NOT NULL,
      PRIMARY KEY (endpoint_id, hour)
    ) ${clustered}`);
    await trx.raw('CREATE INDEX webhook_hours_hour ON webhook_hours (hour)');
    // The last expired license of each mode that was looked at.
    await trx.schema.createTable('webhook_expiries', (table) => {
      table.integer('is_live').primary();
      table.bigInteger('expires_at').notNullable();
      table.bigInteger('license_id').notNullable();
    });
    // The verifications that were reported, of products with an endpoint for them. `ordinal` distinguishes activations
    // of one domain. A product is complete when the counters of all its domains were read once.
    await trx.raw(`CREATE TABLE webhook_watched (
      product_id integer PRIMARY KEY,
      read_at bigint
    )`);
    await trx.raw(`CREATE TABLE webhook_verified (
      product_id integer NOT NULL,
      license_id integer NOT NULL,
      domain text ${isPostgres(trx) ? 'COLLATE "C"' : ''} NOT NULL,
      ordinal integer NOT NULL,
      told bigint NOT NULL,
      PRIMARY KEY (product_id, license_id, domain)
    ) ${isPostgres(trx) ? 'WITH (fillfactor = 70)' : 'WITHOUT ROWID'}`);
    await trx.schema.createTable('webhook_runs', (table) => {
      table.string('subject').primary();
      table.bigInteger('done_to').notNullable();
      table.string('owner').notNullable();
      table.bigInteger('leased_until').notNullable();
    });
  },
};
