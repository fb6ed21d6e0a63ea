import { expect } from 'chai';
import type { Knex } from 'knex';
import { type Database, isPostgres } from '../../../adapters/sql/database.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlExpiryReminders } from '../../../adapters/sql/stores/expiry-reminders.ts';
import { createSqlWebhookExpiries } from '../../../adapters/sql/stores/webhook-expiries.ts';
import { createSqlWebhookQueue } from '../../../adapters/sql/stores/webhook-queue.ts';
import { createSqlWebhookStore } from '../../../adapters/sql/stores/webhook-store.ts';
import { type ReminderDays, reminderDays } from '../../../core/licensing/reminders.ts';
import { day, minute } from '../../../core/time.ts';
import { addUser } from '../../support/backends.ts';
import { must, issuedAt as now } from '../../support/license-acts.ts';
import { analyze } from '../../support/query-plans.ts';
import { itLong, needing, skipLong } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';
import { addEndpoint, addSamples, noted } from '../../support/webhooks.ts';

/** Postgres reads a small table as a whole. */
const rows = { SQLite: 500, Postgres: 30_000 };

interface Statement {
  readonly sql: string;
  readonly bindings: readonly Knex.RawBinding[];
}

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`query plans of webhooks: ${name}`, () => {
    let place: SqlPlace;
    let database: Database;
    before(async () => {
      place = await make();
      database = await place.open();
    });
    after(async () => {
      await database?.close();
      await place?.remove();
    });

    itLong('a removed webhook leaves no delivery behind that a claim must step over', async () => {
      const store = createSqlWebhookStore(database);
      const { id: ownerId } = await addUser({ accounts: createSqlAccountStore(database) }, 'Bob');
      const endpoint = await addEndpoint({ webhooks: store }, ownerId);
      await addSamples({ webhooks: store }, endpoint, 1);
      const waiting = () =>
        database.read((knex) => knex('webhook_deliveries').where({ endpoint_id: endpoint.id }).whereNotNull('due'));
      const { id: _, ...one } = must((await waiting())[0]);
      await database.write(async (trx) => {
        for (let n = 0; n < 42; n++) await trx('webhook_deliveries').insert(Array(50).fill(one));
      });
      await store.remove(endpoint.id, noted());
      expect(await waiting()).to.deep.equal([]);
    });

    it('claims, due and fetched deliveries, lists, attempts by hour and expiries read an index, never all rows', async () => {
      const webhooks = createSqlWebhookStore(database);
      const queue = createSqlWebhookQueue(database);
      const expiries = createSqlWebhookExpiries(database);
      const reminders = createSqlExpiryReminders(database);
      const noNews = () => ({ letters: [], events: [] });
      const before = (days: ReminderDays) => now - days * day - 15 * minute;
      const { id: ownerId } = await addUser({ accounts: createSqlAccountStore(database) }, 'Ada');
      const endpoints = [await addEndpoint({ webhooks }, ownerId), await addEndpoint({ webhooks }, ownerId)];
      await database.write((trx) => fill(trx, rows[name], must(endpoints[0]).id));
      const endpointId = must(endpoints[0]).id;
      const [turn] = await queue.claim({ now, until: now + 1, most: 9 });
      await expiries.tell(now - 1_000, now);
      for (const days of reminderDays) await reminders.remind(days, before(days) - 1_000, noNews);
      const listener = await addEndpoint({ webhooks }, ownerId, { url: null });
      const done = (await addSamples({ webhooks }, listener, 3)).map(({ id }) => id);

      const statements = await statementsOf(database, async () => {
        await queue.claim({ now: now + 2, until: now + 3, most: 9 });
        await queue.due(must(turn), now, 50);
        for (const filter of [
          {},
          { state: 'failed' },
          { type: 'license.issued' },
          { before: 9_999 as never },
        ] as const) {
          await webhooks.listDeliveries({ endpointId, limit: 20, ...filter });
        }
        await webhooks.fetch(listener.id, { done: done.slice(1), now, limit: 50 });
        await webhooks.faultsSince(endpointId, now - 5);
        await webhooks.attemptsByHour(endpointId, now - 5);
        await queue.attemptsByHour(now - 5);
        await webhooks.replay(endpointId, now + 99, noted());
        await expiries.tell(now, now);
        for (const days of reminderDays) await reminders.remind(days, before(days), noNews);
        await webhooks.forget(0);
      });
      expect(statements.length).to.be.greaterThan(10);
      await database.read(async (knex) => {
        for (const statement of statements) await checkPlan(knex, statement);
      });
    });
  });
}

/** Deliveries of which half is delivered and most others failed, and licenses that expired one after the other. */
async function fill(trx: Knex.Transaction, count: number, endpointId: number): Promise<void> {
  const numbers = isPostgres(trx)
    ? 'generate_series(1, ?) AS s (value)'
    : '(WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?) SELECT value FROM n) AS s';
  await trx.raw(
    `INSERT INTO webhook_events (name, body, created_at) SELECT 'evt', '{}', CAST(? AS bigint) FROM ${numbers}`,
    [now, count],
  );
  // A transaction that was begun anew leaves a gap in the ids.
  const [newest] = await trx('webhook_events').max({ id: 'id' });
  const before = Number(newest?.id) - count;
  await trx.raw(
    `INSERT INTO webhook_deliveries (endpoint_id, event_id, type, state, due, fault, attempted_at, created_at)
     SELECT ${endpointId}, ${before} + s.value, CASE WHEN s.value % 100 = 0 THEN 'license.issued' ELSE 'license.activated' END,
       CASE WHEN s.value % 2 = 0 THEN 'delivered' WHEN s.value % 50 = 1 THEN 'waiting' ELSE 'failed' END,
       CASE WHEN s.value % 50 = 1 THEN CAST(? AS bigint) END, 'dns', CAST(? AS bigint), CAST(? AS bigint)
     FROM ${numbers}`,
    [now, now - 9, now, count],
  );
  await trx.raw(
    `INSERT INTO webhook_hours (endpoint_id, hour, delivered, failed)
     SELECT s.value % 20, CAST(? AS bigint) - CAST(s.value AS bigint) * 3600000, 1, 1 FROM ${numbers}`,
    [now, count],
  );
  await trx('products').insert({ slug: 'jar', title: 'Jar', created_at: 1, updated_at: 1, is_live: 1 });
  await trx.raw(
    `INSERT INTO licenses (key, product_id, standing, max_domains, expires_at, created_at)
     SELECT 'LIC-' || s.value, 1, 'active', 1, CAST(? AS bigint) - s.value * 100, 1 FROM ${numbers}`,
    [now, count],
  );
  if (isPostgres(trx)) await analyze(trx);
}

/** Runs the work and returns the statements that read. */
async function statementsOf(database: Database, work: () => Promise<unknown>): Promise<Statement[]> {
  const found: Statement[] = [];
  const note = ({ sql, bindings = [] }: Statement) => found.push({ sql, bindings });
  await database.read(async (knex) => {
    knex.on('query', note);
    await work().finally(() => knex.removeListener('query', note));
  });
  return found.filter(({ sql }) => /^(select|with|update|delete)/i.test(sql));
}

const grown = ['webhook_deliveries', 'webhook_events', 'webhook_hours', 'licenses', 'd', 'e'];

async function checkPlan(knex: Knex, { sql, bindings }: Statement): Promise<void> {
  const given = sql.replaceAll(/\$\d+/g, '?');
  if (isPostgres(knex)) {
    const { rows: plan } = await knex.raw(`EXPLAIN (FORMAT JSON) ${given}`, bindings);
    for (const node of nodesOf(plan[0]['QUERY PLAN'][0].Plan)) {
      if (grown.includes(node['Relation Name'] ?? '')) expect(node['Node Type'], sql).to.not.equal('Seq Scan');
    }
    return;
  }
  const steps: { detail: string }[] = await knex.raw(`EXPLAIN QUERY PLAN ${given}`, bindings);
  for (const { detail } of steps) {
    const [, table = '', how = ''] = /^SCAN (\w+)(.*)/.exec(detail) ?? [];
    if (!how.includes('INDEX webhook_deliveries_due')) expect(grown, `${sql}: ${detail}`).to.not.include(table);
  }
}

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Node Type': string;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  const { Plans = [], ...own } = node;
  return [own, ...Plans.flatMap(nodesOf)];
}
