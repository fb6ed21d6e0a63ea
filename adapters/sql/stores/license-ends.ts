import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import { minute } from '../../../core/time.ts';
import { type Database, isPostgres, largestId } from '../database.ts';
import { type LicenseRow, licenseColumns } from './license-rows.ts';

/** The milliseconds between two writes of the place if no license ends. So an idle server writes rarely. */
const rarely = 10 * minute;

/** The last license that was looked at, in the order of ends. */
interface PlaceRow {
  readonly is_live: number;
  readonly expires_at: Instant;
  readonly license_id: number;
}

/** A job that goes once through the ends of licenses, in their order. */
export interface EndsJob {
  /** The table with its places. */
  readonly table: string;
  /** The columns of the key of this table, besides the mode. */
  readonly key: Readonly<Record<string, number>>;
  /** The licenses of one transaction. */
  readonly atOnce: number;
  /**
   * Where the place is after all licenses: at `until`, so that it does not depend on what was found, or at the `last` one, so that
   * an end that is committed later and lies in between is still looked at.
   */
  readonly restsAt: 'until' | 'last';
  /** Gets the next licenses, also those that are not active, so that each one is read once. */
  work(trx: Knex.Transaction, rows: readonly LicenseRow[]): Promise<void>;
}

/**
 * Does the work for the next licenses of both modes that end up to `until`, and remembers the place in the same
 * transaction. The first call of all only remembers `until`. Returns whether there may be more.
 */
export async function goThroughEnds(
  database: Pick<Database, 'read' | 'write' | 'parts'>,
  job: EndsJob,
  until: Instant,
): Promise<boolean> {
  const areMore = [await goThroughMode(database, job, 1, until), await goThroughMode(database, job, 0, until)];
  return areMore.includes(true);
}

/** Remembers one place for each mode, because the index of licenses begins with the mode. */
async function goThroughMode(
  { read, write, parts }: Pick<Database, 'read' | 'write' | 'parts'>,
  { table, key, atOnce, restsAt, work }: EndsJob,
  isLive: 0 | 1,
  until: Instant,
): Promise<boolean> {
  const wanted = { ...key, is_live: isLive };
  const seen: PlaceRow | undefined = await read((knex) => knex(table).where(wanted).first());
  if (seen === undefined) {
    const start = { ...wanted, expires_at: until, license_id: largestId };
    await write((trx) => trx(table).insert(start).onConflict(Object.keys(wanted)).ignore());
    return false;
  }
  const next = await read((knex) => endsAfter(knex, seen, until).first('id'));
  if (next === undefined && until - seen.expires_at < rarely) return false;
  const { result } = await parts.take(write, async (trx) => {
    const held = trx(table).where(wanted).forUpdate();
    const place: PlaceRow | undefined = await (isPostgres(trx) ? held.skipLocked() : held).first();
    if (place === undefined) return false; // Another process does it.
    const rows: LicenseRow[] = await endsAfter(trx, place, until)
      .limit(atOnce)
      .select(...licenseColumns);
    await work(trx, rows);
    const last = rows.at(-1);
    const isAll = rows.length < atOnce;
    const reached = last ? { expires_at: last.expires_at, license_id: last.id } : undefined;
    const isBehind = until > (last?.expires_at ?? place.expires_at);
    const goesOn = isAll && isBehind && (last === undefined || restsAt === 'until');
    if (goesOn) await trx(table).where(wanted).update({ expires_at: until, license_id: 0 });
    else if (reached) await trx(table).where(wanted).update(reached);
    return !isAll;
  });
  return result;
}

function endsAfter(knex: Knex, { is_live, expires_at, license_id }: PlaceRow, until: Instant): Knex.QueryBuilder {
  return knex('licenses')
    .where({ is_live })
    .whereRaw('(expires_at, id) > (?, ?)', [expires_at, license_id])
    .where('expires_at', '<=', until)
    .orderBy(['expires_at', 'id']);
}

/** A license that is moved in the order of ends. */
interface Move extends Pick<LicenseRow, 'id' | 'is_live'> {
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * Returns whether the job has not seen the license yet, and would not see it after the move. `until`: where the job starts if it
 * has never run. The job waits until this transaction ends.
 */
export async function isPassed(
  trx: Knex.Transaction,
  { table, key }: Pick<EndsJob, 'table' | 'key'>,
  { id, is_live, from, to }: Move,
  until: Instant,
): Promise<boolean> {
  const place: PlaceRow | undefined = await trx(table)
    .where({ ...key, is_live })
    .forUpdate()
    .first();
  const { expires_at: reached, license_id: last } = place ?? { expires_at: until, license_id: largestId };
  const isAhead = (end: Instant) => end > reached || (end === reached && id > last);
  return isAhead(from) && !isAhead(to);
}
