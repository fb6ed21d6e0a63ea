import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import { toProductId } from '../../../core/id.ts';
import type { Standing } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Clash, ImportLine, LeftOut } from '../../../core/ports/license-imports.ts';
import type { NewLicense } from '../../../core/ports/license-store.ts';
import { isPostgres } from '../database.ts';

export interface ImportLineRow {
  readonly line: number;
  readonly key: string;
  readonly product_id: number | null;
  readonly standing: string | null;
  readonly max_domains: number | null;
  readonly expires_at: number | null;
}

const table = 'license_import_lines';

const stagedColumns = {
  line: 'integer',
  key: 'text',
  product_id: 'integer',
  standing: 'text',
  max_domains: 'integer',
  expires_at: 'bigint',
} as const;

const eventColumns = {
  at: 'bigint',
  type: 'text',
  actor: 'text',
  reason: 'text',
  subject: 'text',
  data: 'text',
} as const;

/** Passes rows as one JSON text. This is many times faster than one parameter for each cell. */
function jsonOf(rows: readonly (readonly unknown[])[]): string {
  return JSON.stringify(rows);
}

function given(trx: Knex.Transaction, json: string): Knex.Raw {
  return trx.raw(isPostgres(trx) ? 'json_array_elements(?::json) AS r(value)' : 'json_each(?) AS r', [json]);
}

function cells(columns: Readonly<Record<string, string>>): string {
  return Object.values(columns)
    .map((type, index) => `CAST(r.value ->> ${index} AS ${type})`)
    .join(', ');
}

/** Returns a function that stages the lines in a transaction, and returns the keys that are already used. */
export function staging(lines: readonly ImportLine[]): (trx: Knex.Transaction) => Promise<Clash[]> {
  const firsts = new Map<LicenseKey, number>();
  const twice: Clash[] = [];
  for (const { line, key } of lines) {
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, line);
    else twice.push({ line, key, first });
  }
  const json = jsonOf(
    lines.map(({ line, key, terms }) => [
      line,
      key,
      terms?.productId ?? null,
      terms?.standing ?? null,
      terms?.maxDomains ?? null,
      terms?.expiresAt ?? null,
    ]),
  );
  const names = Object.keys(stagedColumns).join(', ');
  return async (trx) => {
    const having = (other: string): Knex.QueryBuilder =>
      trx
        .from(given(trx, json))
        .join(`${other} as other`, 'other.key', trx.raw('r.value ->> 1'))
        .select({ line: trx.raw('CAST(r.value ->> 0 AS integer)'), key: 'other.key' });
    const staged: Clash[] = await having(table).select({ first: 'other.line' });
    const taken: Clash[] = await having('licenses');
    await trx.raw(
      `INSERT INTO ${table} (${names}) SELECT ${cells(stagedColumns)} FROM ? WHERE true ORDER BY 1 ON CONFLICT (key) DO NOTHING`,
      [given(trx, json)],
    );
    // If an earlier transaction has staged the key, `first` is that line.
    const isNoted = new Set(staged.map(({ line }) => line));
    return [...staged, ...twice.filter(({ line }) => !isNoted.has(line)), ...taken].toSorted(
      (one, other) => one.line - other.line,
    );
  };
}

/** Returns the license of a line, or `undefined` if its terms are incomplete. */
export function licenseOf(row: ImportLineRow, at: Instant): NewLicense | undefined {
  if (row.product_id === null || row.standing === null || row.max_domains === null || row.max_domains < 1)
    return undefined;
  return {
    key: row.key as LicenseKey,
    productId: toProductId(row.product_id),
    standing: row.standing as Standing,
    maxDomains: row.max_domains,
    expiresAt: row.expires_at,
    createdAt: at,
  };
}

/** Returns a function that finds the lines that cannot become licenses, in order and with the reason. */
export function findingFaults(rows: readonly ImportLineRow[]): (trx: Knex.Transaction) => Promise<LeftOut[]> {
  const json = jsonOf(rows.map(({ line, key }) => [line, key]));
  const ids = [...new Set(rows.flatMap(({ product_id: id }) => id ?? []))];
  return async (trx) => {
    const found: { line: number }[] = await trx
      .from(given(trx, json))
      .join('licenses as other', 'other.key', trx.raw('r.value ->> 1'))
      .select({ line: trx.raw('CAST(r.value ->> 0 AS integer)') });
    const taken = new Set(found.map(({ line }) => line));
    const products = new Set<number>(await trx('products').whereIn('id', ids).pluck('id'));
    const whyNot = (row: ImportLineRow): LeftOut['why'] | undefined => {
      if (taken.has(row.line)) return 'key_taken';
      if (licenseOf(row, 0) === undefined) return 'no_terms';
      return row.product_id !== null && products.has(row.product_id) ? undefined : 'no_product';
    };
    return rows.flatMap((row) => {
      const why = whyNot(row);
      return why === undefined ? [] : [{ line: row.line, key: row.key as LicenseKey, why }];
    });
  };
}

/** Returns a function that turns the lines up to `last` into licenses, in a transaction. */
export function moving(last: number, at: Instant, events: readonly Event[]): (trx: Knex.Transaction) => Promise<void> {
  const json = jsonOf(
    events.map((event) => [event.at, event.type, event.actor, event.reason, event.subject, JSON.stringify(event.data)]),
  );
  const names = 'key, product_id, standing, max_domains, expires_at';
  return async (trx) => {
    await trx.raw(
      `INSERT INTO licenses (${names}, created_at) SELECT ${names}, CAST(? AS bigint) FROM ${table} WHERE line <= ? ORDER BY line`,
      [at, last],
    );
    await trx.raw(
      `INSERT INTO audit_log (${Object.keys(eventColumns).join(', ')}) SELECT ${cells(eventColumns)} FROM ?`,
      [given(trx, json)],
    );
    await trx(table).where('line', '<=', last).delete();
  };
}

/** Deletes lines of the import. */
export async function drop(trx: Knex.Transaction, lines: readonly number[]): Promise<void> {
  const json = jsonOf(lines.map((line) => [line]));
  await trx(table)
    .whereIn('line', trx.from(given(trx, json)).select(trx.raw('CAST(r.value ->> 0 AS integer)')))
    .delete();
}

/** Returns the next lines in order. */
export function nextLines(knex: Knex, after: number, limit: number): Knex.QueryBuilder<ImportLineRow, ImportLineRow[]> {
  return knex<ImportLineRow>(table).where('line', '>', after).orderBy('line').limit(limit);
}

/** Deletes the first `limit` lines, and returns how many it deleted. */
export function forget(trx: Knex.Transaction, limit: number): Promise<number> {
  return trx(table).whereIn('line', trx(table).orderBy('line').limit(limit).select('line')).delete();
}
