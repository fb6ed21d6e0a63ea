import type { Knex } from 'knex';
import { toDeliveryId } from '../../../core/id.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { DueDelivery, Turn, WebhookQueue } from '../../../core/ports/webhook-queue.ts';
import { type Database, isPostgres } from '../database.ts';
import { createSpread, notYetAdded } from '../webhook-fan-out.ts';
import { attemptsOfAll } from './webhook-deliveries.ts';
import { storeHealth, storeSettled } from './webhook-results.ts';
import { type DeliveryRow, type EndpointRow, toEndpoint } from './webhook-rows.ts';

interface TurnRow extends EndpointRow {
  readonly turn: number;
  readonly leased_until: Instant;
}

interface DueRow extends Pick<DeliveryRow, 'id' | 'attempts' | 'made'> {
  readonly name: string;
  readonly body: string;
}

export function createSqlWebhookQueue(database: Database): WebhookQueue {
  const { read, write } = database;
  return {
    spread: createSpread(database),

    async claim({ now, until, most }) {
      // Without this read, an idle process would take SQLite's write lock again and again.
      if ((await read((knex) => claimable(knex, now).first('e.id'))) === undefined) return [];
      const rows = await write(async (trx) => {
        const picked = claimable(trx, now).orderBy(['e.claimed_at', 'e.id']).limit(most).select('e.id');
        // The rows themselves are not deleted: others may refer to them meanwhile.
        if (isPostgres(trx)) picked.forNoKeyUpdate('e').skipLocked();
        return await trx<TurnRow>('webhook_endpoints')
          .withMaterialized('picked', picked)
          .whereIn('id', trx('picked').select('id'))
          .update({ turn: trx.raw('turn + 1'), leased_until: until, claimed_at: now } as object)
          .returning<TurnRow[]>('*');
      });
      return rows.map(toTurn).sort((one, other) => one.endpoint.id - other.endpoint.id);
    },

    async due({ endpoint }, now, limit) {
      const rows: DueRow[] = await read((knex) =>
        knex('webhook_deliveries as d')
          .join('webhook_events as e', 'e.id', 'd.event_id')
          .where('d.endpoint_id', endpoint.id)
          .where('d.due', '<=', now)
          .orderBy(['d.due', 'd.id'])
          .limit(limit)
          .select('d.id', 'd.attempts', 'd.made', 'e.name', 'e.body'),
      );
      return rows.map(toDueDelivery);
    },

    settle: ({ endpoint, number }, result, until) =>
      write(async (trx) => {
        const row: TurnRow | undefined = await trx('webhook_endpoints')
          .where({ id: endpoint.id, turn: number })
          .forUpdate()
          .first();
        if (row === undefined) return false;
        const { settled } = result;
        const isNew = (await storeSettled(trx, endpoint.id, settled)) || settled.length === 0;
        await storeHealth(trx, row, endpoint, result, { until: until ?? 0, isNew });
        return true;
      }),

    async backlog(now) {
      const row: { readonly count?: number | string; readonly oldest?: Instant | null } | undefined = await read(
        (knex) =>
          knex('webhook_deliveries as d')
            .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
            .modify(isServed)
            .where('d.due', '<=', now)
            .count({ count: '*' })
            .min({ oldest: 'd.due' })
            .first(),
      );
      const later = await read(notYetAdded);
      const times = [row?.oldest ?? null, later.oldest].filter((time) => time !== null);
      return {
        count: Number(row?.count ?? 0) + later.count,
        oldest: times.length === 0 ? null : Math.min(...times.map(Number)),
      };
    },

    attemptsByHour: (since) => read((knex) => attemptsOfAll(knex, since)),
  };
}

/**
 * An endpoint `e` that is on, with an address, and whose owner is not suspended. During an upgrade, an older process can make
 * deliveries of listeners due.
 */
function isServed(query: Knex.QueryBuilder): void {
  query
    .where('e.url', '<>', '')
    .whereNull('e.off_reason')
    .whereNotExists((its) =>
      its.from('users as u').whereRaw('u.id = e.owner_id').whereNotNull('u.suspended_at').select('u.id'),
    );
}

/**
 * The endpoints that are served, have a due delivery, and are nobody's. Steps from endpoint to endpoint in the index of what
 * waits, so that it takes the same time with any number of deliveries, and with any number of idle endpoints.
 */
function claimable(knex: Knex, now: Instant): Knex.QueryBuilder {
  const next = (after: string) =>
    `SELECT endpoint_id FROM webhook_deliveries WHERE due IS NOT NULL ${after} ORDER BY endpoint_id LIMIT 1`;
  return knex('webhook_endpoints as e')
    .withRecursive(
      'waiting',
      knex.raw(
        `SELECT (${next('')}) AS id UNION ALL
         SELECT (${next('AND endpoint_id > waiting.id')}) FROM waiting WHERE waiting.id IS NOT NULL`,
      ),
    )
    .whereIn('e.id', knex('waiting').select('id'))
    .modify(isServed)
    .where('e.leased_until', '<=', now)
    .whereExists(
      knex('webhook_deliveries as d')
        .where('d.endpoint_id', knex.ref('e.id'))
        .where('d.due', '<=', now)
        .select(knex.raw('1')),
    );
}

function toTurn(row: TurnRow): Turn {
  return { endpoint: { ...toEndpoint(row), url: row.url }, number: row.turn, until: row.leased_until };
}

function toDueDelivery({ id, name, body, attempts, made }: DueRow): DueDelivery {
  return { id: toDeliveryId(id), eventId: name, body, attempt: attempts + 1, made };
}
