import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import type { WebhookExpiries } from '../../../core/ports/webhook-telling.ts';
import { minute } from '../../../core/time.ts';
import { toldOfExpiry } from '../../../core/webhooks/happenings.ts';
import { type Database, isPostgres, largestId } from '../database.ts';
import { type LicenseRow, licenseColumns, toLicense } from '../stores/license-rows.ts';
import { addDeliveries, subscribersOf } from '../stores/webhook-outbox.ts';

const table = 'webhook_expiries';
/** The licenses of one transaction. */
const atOnce = 200;
/** The milliseconds between two writes of the place if no license expires. So an idle server writes rarely. */
const rarely = 10 * minute;

interface PlaceRow {
  readonly is_live: number;
  readonly expires_at: Instant;
  readonly license_id: number;
}

/** Remembers one place in the order of expiry for each mode, because the index of licenses begins with the mode. */
export function createSqlWebhookExpiries({ read, write }: Pick<Database, 'read' | 'write'>): WebhookExpiries {
  async function tellMode(isLive: 0 | 1, until: Instant, now: Instant): Promise<boolean> {
    const wanted = { is_live: isLive };
    const seen: PlaceRow | undefined = await read((knex) => knex(table).where(wanted).first());
    if (seen === undefined) {
      const start = { ...wanted, expires_at: until, license_id: largestId };
      await write((trx) => trx(table).insert(start).onConflict('is_live').ignore());
      return false;
    }
    const next = await read((knex) => expiredAfter(knex, seen, until).first('id'));
    if (next === undefined && until - seen.expires_at < rarely) return false;
    return await write(async (trx) => {
      const held = trx(table).where(wanted).forUpdate();
      const place: PlaceRow | undefined = await (isPostgres(trx) ? held.skipLocked() : held).first();
      if (place === undefined) return false; // Another process does it.
      const rows: LicenseRow[] = await expiredAfter(trx, place, until)
        .limit(atOnce)
        .select(...licenseColumns);
      await tellOf(trx, rows, now);
      const last = rows.at(-1);
      const reached = last ? { expires_at: last.expires_at, license_id: last.id } : undefined;
      if (reached) await trx(table).where(wanted).update(reached);
      else if (until > place.expires_at) await trx(table).where(wanted).update({ expires_at: until, license_id: 0 });
      return rows.length === atOnce;
    });
  }

  return {
    async tell(until, now) {
      const areMore = [await tellMode(1, until, now), await tellMode(0, until, now)];
      return areMore.includes(true) ? 'more' : 'done';
    },
  };
}

/** Also reads licenses that are not active, so that each license is read once. */
function expiredAfter(knex: Knex, { is_live, expires_at, license_id }: PlaceRow, until: Instant): Knex.QueryBuilder {
  return knex('licenses')
    .where({ is_live })
    .whereRaw('(expires_at, id) > (?, ?)', [expires_at, license_id])
    .where('expires_at', '<=', until)
    .orderBy(['expires_at', 'id']);
}

async function tellOf(trx: Knex.Transaction, rows: readonly LicenseRow[], now: Instant): Promise<void> {
  const expired = rows.map(toLicense).filter(({ standing, ownerId }) => standing === 'active' && ownerId !== null);
  const products = await subscribersOf(
    trx,
    expired.map(({ productId }) => productId),
  );
  await addDeliveries(
    trx,
    expired.flatMap((license) => {
      const { product, subscribers } = products.get(license.productId) ?? {};
      if (product === undefined || subscribers === undefined) return [];
      return toldOfExpiry(license, product).map((happening) => ({
        happening,
        subscribers: subscribers.filter(({ onSince }) => onSince <= happening.at),
      }));
    }),
    now,
  );
}
