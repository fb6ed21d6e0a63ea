import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import { toProductId } from '../../../core/id.ts';
import type { HostKind } from '../../../core/licensing/hosts.ts';
import type { Standing } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { noNotes } from '../../../core/licensing/license-notes.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Clash, ImportedTerms, ImportLine, LeftOut } from '../../../core/ports/license-imports.ts';
import type { NewLicense } from '../../../core/ports/license-store.ts';
import { cells, given, jsonOf } from '../json-rows.ts';
import { type RightsRow, rightsRow, toRights } from '../license-rights.ts';
import { storedAlias } from '../stores/alias-digests.ts';
import { recording } from '../stores/audit-log.ts';
import {
  addNoteTexts,
  notesRow,
  type ShortNotesRow,
  shortNotesColumns,
  toShortNotes,
} from '../stores/license-notes.ts';
import { sharedColumns } from '../stores/license-rows.ts';
import { findingStaged, findingTaken, sorted, twiceIn } from './clashes.ts';

/** The metadata, which can be large, are moved by the database alone. */
export interface ImportLineRow extends ShortNotesRow, RightsRow {
  readonly line: number;
  readonly key: string;
  readonly product_id: number | null;
  readonly standing: string | null;
  readonly max_domains: number | null;
  readonly expires_at: number | null;
  readonly days_from_activation: number | null;
  readonly domains_used: number;
  readonly free_domains: number;
  readonly alias_digest: string | null;
}

const table = 'license_import_lines';

/** Those that a license has, too. */
const licenseColumns = {
  ...sharedColumns,
  domains_used: 'integer',
  free_domains: 'integer',
} as const;

const stagedColumns = {
  line: 'integer',
  ...licenseColumns,
  alias_kind: 'text',
  alias_digest: 'text',
  alias_exact_digest: 'text',
  alias_hint: 'text',
} as const;

const hostColumns = {
  line: 'integer',
  ordinal: 'integer',
  domain: 'text',
  activated_at: 'bigint',
  kind: 'text',
} as const;

const readColumns = [
  'line',
  'key',
  'product_id',
  'standing',
  'max_domains',
  'expires_at',
  'days_from_activation',
  ...shortNotesColumns,
  'updates_until',
  'entitlements',
  'domains_used',
  'free_domains',
  'alias_digest',
] as const satisfies readonly (keyof ImportLineRow)[];

/** Returns a function that stages the lines in a transaction, and returns the keys and aliases that are already used. */
export function staging(lines: readonly ImportLine[]): (trx: Knex.Transaction) => Promise<Clash[]> {
  const staged = lines.map((one) => {
    const alias = one.terms?.alias;
    return { ...one, alias: alias && storedAlias(alias.text, alias.kind) };
  });
  const compared = staged.map(({ line, key, hasNewKey, alias }) => ({ line, key, hasNewKey, digest: alias?.digest }));
  const twice = twiceIn(compared);
  const [findStaged, findTaken] = [findingStaged(compared, table), findingTaken(compared)];
  const names = Object.keys(stagedColumns) as (keyof typeof stagedColumns)[];
  const json = jsonOf(
    staged.map(({ line, key, terms, alias }) => {
      const row = {
        line,
        key,
        product_id: terms?.productId,
        standing: terms?.standing,
        max_domains: terms?.maxDomains,
        expires_at: terms?.expiresAt,
        days_from_activation: terms?.daysFromActivation,
        ...notesRow(terms?.notes ?? noNotes),
        ...rightsRow(terms ?? {}),
        domains_used: countOf(terms, (kind) => kind === 'slot'),
        free_domains: countOf(terms, (kind) => kind !== 'slot'),
        alias_kind: alias?.kind,
        alias_digest: alias?.digest,
        alias_exact_digest: alias?.exact_digest,
        alias_hint: alias?.hint,
      };
      return names.map((name) => row[name] ?? null);
    }),
  );
  const hosts = jsonOf(
    lines.flatMap(({ line, terms }) =>
      (terms?.hosts ?? []).map((one, index) => [line, index + 1, one.domain, one.activatedAt, one.kind]),
    ),
  );
  return async (trx) => {
    const before = await findStaged(trx);
    const taken = await findTaken(trx);
    await trx.raw(
      `INSERT INTO ${table} (${names.join(', ')}) SELECT ${cells(stagedColumns)} FROM ? WHERE true ORDER BY 1 ON CONFLICT DO NOTHING`,
      [given(trx, json)],
    );
    if (hosts !== '[]') {
      // Only for lines that are staged: one whose key was staged before is not.
      await trx.raw(
        `INSERT INTO license_import_hosts (${Object.keys(hostColumns).join(', ')})
         SELECT ${cells(hostColumns)} FROM ? JOIN ${table} AS staged ON staged.line = CAST(r.value ->> 0 AS integer)`,
        [given(trx, hosts)],
      );
    }
    // If an earlier transaction has staged it, `first` is that line.
    const isNoted = new Set(before.map(({ line, of }) => `${line} ${of}`));
    return sorted([...before, ...twice.filter(({ line, of }) => !isNoted.has(`${line} ${of}`)), ...taken]);
  };
}

function countOf(terms: ImportedTerms | undefined, isCounted: (kind: HostKind) => boolean): number {
  return (terms?.hosts ?? []).filter(({ kind }) => isCounted(kind)).length;
}

/** Returns the license of a line, without its metadata, or `undefined` if its terms are incomplete. */
export function licenseOf(row: ImportLineRow, at: Instant): NewLicense | undefined {
  if (row.product_id === null || row.standing === null || row.max_domains === null || row.max_domains < 1)
    return undefined;
  return {
    key: row.key as LicenseKey,
    productId: toProductId(row.product_id),
    standing: row.standing as Standing,
    maxDomains: row.max_domains,
    expiresAt: row.expires_at,
    daysFromActivation: row.days_from_activation,
    ...toRights(row),
    createdAt: at,
    notes: { ...toShortNotes(row), metadata: {} },
  };
}

/** Returns a function that finds the lines that cannot become licenses, in order and with the reason. */
export function findingFaults(rows: readonly ImportLineRow[]): (trx: Knex.Transaction) => Promise<LeftOut[]> {
  const json = jsonOf(rows.map(({ line, key, alias_digest: digest }) => [line, key, digest]));
  const ids = jsonOf([...new Set(rows.flatMap(({ product_id: id }) => id ?? []))].map((id) => [id]));
  return async (trx) => {
    // In one statement, because each takes a turn on another thread or at the server.
    const found: { why: LeftOut['why'] | 'product'; number: number }[] = await trx
      .from(given(trx, json))
      .join('licenses as other', 'other.key', trx.raw('r.value ->> 1'))
      .select({ why: trx.raw("'key_taken'"), number: trx.raw('CAST(r.value ->> 0 AS integer)') })
      .unionAll([
        trx
          .from(given(trx, json))
          .join('license_aliases as other', 'other.digest', trx.raw('r.value ->> 2'))
          .select(trx.raw("'alias_taken'"), trx.raw('CAST(r.value ->> 0 AS integer)')),
        trx
          .from(given(trx, ids))
          .join('products as other', 'other.id', trx.raw('CAST(r.value ->> 0 AS integer)'))
          .select(trx.raw("'product'"), 'other.id'),
      ]);
    const numbers = (of: (typeof found)[number]['why']) =>
      new Set(found.flatMap(({ why, number }) => (why === of ? [number] : [])));
    const [taken, aliases, products] = [numbers('key_taken'), numbers('alias_taken'), numbers('product')];
    const whyNot = (row: ImportLineRow): LeftOut['why'] | undefined => {
      if (taken.has(row.line)) return 'key_taken';
      if (aliases.has(row.line)) return 'alias_taken';
      if (licenseOf(row, 0) === undefined) return 'no_terms';
      return row.product_id !== null && products.has(row.product_id) ? undefined : 'no_product';
    };
    return rows.flatMap((row) => {
      const why = whyNot(row);
      return why === undefined ? [] : [{ line: row.line, key: row.key as LicenseKey, why }];
    });
  };
}

/** The number of the hosts of a line. */
export const hostsOf = (row: ImportLineRow) => row.domains_used + row.free_domains;

/**
 * Returns a function that turns the first lines, which are these, into licenses, in a transaction. The statements name both ends and the
 * number of the lines, although there are none before them: else Postgres, which may not know yet how many lines there are, reads whole tables.
 */
export function moving(
  rows: readonly ImportLineRow[],
  at: Instant,
  licenses: readonly NewLicense[],
  events: readonly Event[],
): (trx: Knex.Transaction) => Promise<void> {
  const recordAll = recording(events);
  const [first, last] = [rows[0]?.line ?? 0, rows.at(-1)?.line ?? 0];
  const hosts = rows.reduce((sum, row) => sum + hostsOf(row), 0);
  const names = Object.keys(licenseColumns).join(', ');
  const these = `(SELECT * FROM ${table} WHERE line BETWEEN ? AND ? ORDER BY line LIMIT ?) AS s`;
  return async (trx) => {
    await trx.raw(
      `INSERT INTO licenses (${names}, activations_made, created_at) SELECT ${names}, domains_used + free_domains, CAST(? AS bigint) FROM ${table} WHERE line BETWEEN ? AND ? ORDER BY line`,
      [at, first, last],
    );
    if (hosts > 0)
      await trx.raw(
        `INSERT INTO activations (license_id, ordinal, domain, activated_at, kind)
       SELECT l.id, h.ordinal, h.domain, h.activated_at, h.kind
       FROM (SELECT * FROM license_import_hosts WHERE line BETWEEN ? AND ? ORDER BY line, ordinal LIMIT ?) AS h
       JOIN ${these} ON s.line = h.line JOIN licenses AS l ON l.key = s.key`,
        [first, last, hosts, first, last, rows.length],
      );
    if (rows.some((row) => row.alias_digest !== null))
      await trx.raw(
        `INSERT INTO license_aliases (license_id, kind, digest, exact_digest, hint, added_at)
       SELECT l.id, s.alias_kind, s.alias_digest, s.alias_exact_digest, s.alias_hint, CAST(? AS bigint)
       FROM ${these} JOIN licenses AS l ON l.key = s.key WHERE s.alias_digest IS NOT NULL ORDER BY s.line`,
        [at, first, last, rows.length],
      );
    await addNoteTexts(trx, licenses);
    await recordAll(trx);
    await trx(table).whereBetween('line', [first, last]).delete();
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
export async function nextLines(knex: Knex, after: number, limit: number): Promise<ImportLineRow[]> {
  return await knex<ImportLineRow>(table)
    .where('line', '>', after)
    .orderBy('line')
    .limit(limit)
    .select(...readColumns);
}

/** Deletes the first `limit` lines, and returns how many it deleted. */
export function forget(trx: Knex.Transaction, limit: number): Promise<number> {
  return trx(table).whereIn('line', trx(table).orderBy('line').limit(limit).select('line')).delete();
}
