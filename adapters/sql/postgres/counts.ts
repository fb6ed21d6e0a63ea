import type pg from 'pg';
import { unlessLocked } from '../errors.ts';
import type { Count, NotAdded } from '../verifier.ts';

/** Milliseconds that a batch waits for a row. Batches of other processes lock their rows until their commit ends. */
export const lockTimeout = 100;

/** Milliseconds for which batches skip locked rows after a row was found locked for too long. */
const leaveOutFor = 1_000;
/**
 * A row counts as locked for long after this time, in milliseconds. Batches of other processes lock rows only for
 * moments.
 */
const longHeld = 250;

const given = `unnest($1::int[], $2::text[], $3::int[], $4::int[], $5::int[], $6::bigint[])
      WITH ORDINALITY AS asked (id, domain, ordinal, version, count, at, place)`;

const added = (asked: string) => `
    UPDATE activations AS a SET
      verification_count = a.verification_count + asked.count,
      last_verified_at = greatest(a.last_verified_at, asked.at)
    FROM ${asked}
    WHERE a.license_id = asked.id AND a.domain = asked.domain
      AND a.ordinal = asked.ordinal AND a.license_version = asked.version
    RETURNING asked.place::int`;

/**
 * Locks the rows in the given order, so that two batches in key order do not deadlock, and a change of a license comes
 * wholly before a batch or wholly after it. Skips rows that have changed since they were read. Returns no row if all
 * counts were added, otherwise the positions of the added ones in the input.
 */
const addCounts = `
  WITH added AS (${added(given)}
  )
  SELECT coalesce(array_agg(place), '{}') AS added, '{}'::int[] AS held
  FROM added HAVING count(*) < cardinality($1::int[])`;

/**
 * As `addCounts`, but skips rows that others have locked. It never waits for a row, so it cannot deadlock. A row that
 * exists but could not be locked is `held`. If it has just been deleted, the next try detects that.
 */
const addFree = `
  WITH asked AS MATERIALIZED (SELECT * FROM ${given}),
  there AS MATERIALIZED (
    SELECT asked.place FROM asked JOIN activations AS a ON a.license_id = asked.id AND a.domain = asked.domain
  ),
  free AS MATERIALIZED (
    SELECT asked.* FROM asked JOIN activations AS a ON a.license_id = asked.id AND a.domain = asked.domain
    FOR NO KEY UPDATE OF a SKIP LOCKED
  ),
  added AS (${added('free AS asked')}
  )
  SELECT ARRAY(SELECT place FROM added) AS added,
    ARRAY(SELECT place::int FROM there WHERE place NOT IN (SELECT place FROM free)) AS held`;

interface Places {
  readonly added: readonly number[];
  readonly held: readonly number[];
}

/**
 * Runs one statement in its own transaction. `name` is the name of the prepared statement, if the session supports
 * them. `timeout` shortens the usual timeout of each answer, in milliseconds.
 */
export type Run = <Row extends pg.QueryResultRow>(statement: {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly timeout?: number;
}) => Promise<Row[]>;

/**
 * Adds counts with `addCounts`. If another session locks a row for longer than `lockTimeout`, it uses `addFree` until
 * no row is locked for long. Returns the counts that were not added.
 */
export function createCounts(run: Run): (counts: readonly Count[]) => Promise<readonly NotAdded[]> {
  let leavingOutUntil = 0;
  /** The time since which every try has found a row locked. */
  const heldSince = new Map<string, number>();

  /** Returns `undefined` if a lock on a row or the table was not available in time. */
  const tryTo = (name: string, text: string, values: readonly unknown[]): Promise<Places[] | undefined> =>
    unlessLocked(() => run<Places & pg.QueryResultRow>({ name, text, values }));

  function remember(counts: readonly Count[], held: ReadonlySet<number>): void {
    const now = performance.now();
    counts.forEach(({ id, domain }, index) => {
      const row = `${id} ${domain}`;
      if (!held.has(index + 1)) heldSince.delete(row);
      else if (now - (heldSince.get(row) ?? now) >= longHeld) leavingOutUntil = now + leaveOutFor;
      else if (!heldSince.has(row)) heldSince.set(row, now);
    });
  }

  async function addFreeRows(counts: readonly Count[], values: readonly unknown[]): Promise<readonly NotAdded[]> {
    const [places] = (await tryTo('add-free', addFree, values)) ?? [];
    const all = counts.map((_, index) => index + 1);
    const added = new Set(places?.added);
    const held = new Set(places?.held ?? all);
    remember(counts, held);
    return all
      .filter((place) => !added.has(place))
      .map((place) => ({ ...(counts[place - 1] as Count), isHeld: held.has(place) }));
  }

  return async (unordered) => {
    const counts = [...unordered].sort(byKey);
    const values = [
      arrayOf(counts.map(({ id }) => id)),
      counts.map(({ domain }) => domain),
      arrayOf(counts.map(({ ordinal }) => ordinal)),
      arrayOf(counts.map(({ version }) => version)),
      arrayOf(counts.map(({ count }) => count)),
      arrayOf(counts.map(({ at }) => at)),
    ];
    if (performance.now() < leavingOutUntil) return await addFreeRows(counts, values);
    heldSince.clear();
    const found = await tryTo('add-counts', addCounts, values);
    if (found === undefined) {
      leavingOutUntil = performance.now() + leaveOutFor;
      return await addFreeRows(counts, values);
    }
    const [places] = found;
    if (places === undefined) return [];
    const added = new Set(places.added);
    return counts.filter((_, index) => !added.has(index + 1));
  };
}

/** Sorts counts in the order in which a change of a license locks its domains. */
function byKey(one: Count, other: Count): number {
  return one.id - other.id || (one.domain < other.domain ? -1 : 1);
}

/** Formats an array literal of Postgres. Faster than pg, which checks each element for characters to escape. */
function arrayOf(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}
