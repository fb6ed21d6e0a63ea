import type { Knex } from 'knex';
import type { Period, PeriodStanding } from '../../../core/licensing/periods.ts';
import { isSame } from '../../../core/same.ts';

/** A row of `license_periods`. */
interface PeriodRow {
  readonly id: number;
  readonly license_id: number;
  readonly cause: string;
  readonly at: number;
  readonly standing: string;
  /** JSON. */
  readonly gives: string;
  readonly worth: number;
  /** `null` for the base currency. */
  readonly currency: string | null;
  /** JSON. `null` if it is built on nothing. */
  readonly built_on: string | null;
}

/** Reads the periods of the licenses that the condition finds, in the order in which they were added. */
export async function readPeriods(query: Knex.QueryBuilder): Promise<Period[]> {
  const rows: PeriodRow[] = await query.from('license_periods as p').orderBy('p.id').select('p.*');
  return rows.map(({ cause, at, standing, gives, worth, currency, built_on }) => ({
    cause,
    at,
    standing: standing as PeriodStanding,
    gives: JSON.parse(gives),
    worth,
    ...(currency !== null && { currency }),
    builtOn: built_on === null ? [] : JSON.parse(built_on),
  }));
}

/** Adds the periods that are new, and changes what a payment can change of the others. */
export async function savePeriods(
  trx: Knex.Transaction,
  licenseId: number,
  before: readonly Period[],
  after: readonly Period[],
): Promise<void> {
  const known = new Map(before.map((one) => [one.cause, one]));
  for (const period of after) {
    const { cause, at, standing, gives, worth, currency = null, builtOn } = period;
    const had = known.get(cause);
    if (had === undefined) {
      const built_on = builtOn.length === 0 ? null : JSON.stringify(builtOn);
      const facts = { license_id: licenseId, cause, at, standing, gives: JSON.stringify(gives) };
      const row = { ...facts, worth, currency, built_on };
      await trx<PeriodRow>('license_periods').insert(row);
    } else if (!isSame(had, period)) {
      await trx<PeriodRow>('license_periods').where({ cause }).update({ standing, worth });
    }
  }
}
