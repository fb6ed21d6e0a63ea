import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import type { SettledDelivery, TurnResult } from '../../../core/ports/webhook-queue.ts';
import { hour } from '../../../core/time.ts';
import { keptAttempts } from '../../../core/webhooks/delivery.ts';
import type { Endpoint } from '../../../core/webhooks/endpoint.ts';
import { tell } from './tell.ts';
import type { AttemptRow, EndpointRow } from './webhook-rows.ts';

const rowsAtOnce = 200;

/** The types of the values of an attempt: `column1` and so on in the statement below. Postgres cannot guess them there. */
const types = ['bigint', 'text', 'bigint', 'bigint', 'bigint', 'text', 'bigint'] as const;
const placeholders = `(${types.map((type) => `CAST(? AS ${type})`).join(', ')})`;

/**
 * Stores how attempts ended, in the transaction that holds the turn. Leaves out deliveries that were
 * deleted meanwhile, and attempts that are stored already: the answer to an earlier commit may have been lost. Returns
 * whether there was anything to store.
 */
export async function storeSettled(
  trx: Knex.Transaction,
  endpointId: number,
  settled: readonly SettledDelivery[],
): Promise<boolean> {
  const all: SettledDelivery[] = [];
  for (let start = 0; start < settled.length; start += rowsAtOnce) {
    const some = settled.slice(start, start + rowsAtOnce);
    const stored = await updateDeliveries(trx, some);
    const changed = some.filter(({ delivery }) => stored.has(delivery.id));
    if (changed.length > 0) await trx('webhook_attempts').insert(changed.map(toAttemptRow));
    await dropOldAttempts(
      trx,
      changed.flatMap(({ delivery: { id, made } }) => (made < keptAttempts ? [] : [id])),
    );
    all.push(...changed);
  }
  for (const [at, { delivered, failed }] of byHour(all)) {
    await trx('webhook_hours')
      .insert({ endpoint_id: endpointId, hour: at, delivered, failed })
      .onConflict(['endpoint_id', 'hour'])
      .merge({
        delivered: trx.raw('webhook_hours.delivered + excluded.delivered'),
        failed: trx.raw('webhook_hours.failed + excluded.failed'),
      });
  }
  return all.length > 0;
}

async function dropOldAttempts(trx: Knex.Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx('webhook_attempts')
    .whereIn('delivery_id', ids)
    .whereRaw('number <= (SELECT made FROM webhook_deliveries AS d WHERE d.id = delivery_id) - ?', [keptAttempts])
    .delete();
}

/** Returns the ids of the deliveries that were changed. */
async function updateDeliveries(
  trx: Knex.Transaction,
  settled: readonly SettledDelivery[],
): Promise<ReadonlySet<number>> {
  const values = settled.map(() => placeholders).join(', ');
  const result = await trx.raw(
    `UPDATE webhook_deliveries SET state = v.column2, due = v.column3, attempts = v.column4, made = v.column5,
       fault = v.column6, attempted_at = v.column7
     FROM (VALUES ${values}) AS v WHERE webhook_deliveries.id = v.column1 AND made = v.column5 - 1 RETURNING webhook_deliveries.id`,
    settled.flatMap(({ delivery, next, attempted, at }) => [
      delivery.id,
      next.state,
      next.state === 'waiting' ? next.due : null,
      delivery.attempt,
      delivery.made + 1,
      attempted.fault,
      at,
    ]),
  );
  const rows: { id: number }[] = Array.isArray(result) ? result : result.rows;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Stores the health of the endpoint with the news about it, and ends or renews the turn. If people have changed the
 * endpoint since it was claimed, its health stays as they left it, and nobody gets news. Results that were already
 * stored (`isNew` is false) had their news stored with them.
 */
export async function storeHealth(
  trx: Knex.Transaction,
  row: Pick<EndpointRow, 'updated_at' | 'off_reason'>,
  { id, updatedAt }: Pick<Endpoint, 'id' | 'updatedAt'>,
  { health, isOff, news }: Omit<TurnResult, 'settled'>,
  { until, isNew }: { readonly until: Instant; readonly isNew: boolean },
): Promise<void> {
  const isSame = row.updated_at === updatedAt;
  await trx('webhook_endpoints')
    .where({ id })
    .update({
      leased_until: until,
      ...(isSame && { failing_since: health.failingSince, failed_at: health.failedAt, warned_at: health.warnedAt }),
      ...(isSame && isOff && row.off_reason === null && { off_reason: 'failures' }),
    });
  if (isSame && isNew) await tell(trx, news);
}

function toAttemptRow({ delivery, attempted, at }: SettledDelivery): AttemptRow {
  return {
    delivery_id: delivery.id,
    number: delivery.made + 1,
    at,
    request: JSON.stringify(attempted.request),
    answer: attempted.answer && JSON.stringify(attempted.answer),
    fault: attempted.fault,
    detail: attempted.detail,
    duration: attempted.duration,
  };
}

function byHour(settled: readonly SettledDelivery[]): Map<Instant, { delivered: number; failed: number }> {
  const hours = new Map<Instant, { delivered: number; failed: number }>();
  for (const { at, attempted } of settled) {
    const start = at - (at % hour);
    const { delivered, failed } = hours.get(start) ?? { delivered: 0, failed: 0 };
    const isGood = attempted.fault === null;
    hours.set(start, { delivered: delivered + Number(isGood), failed: failed + Number(!isGood) });
  }
  return hours;
}
