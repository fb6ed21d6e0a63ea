import type { Knex } from 'knex';
import { toProductId } from '../../../core/id.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Clash, ImportLine } from '../../../core/ports/license-imports.ts';
import { given, jsonOf } from '../json-rows.ts';
import { foldedDigest } from '../stores/alias-digests.ts';
import { createFirstLines } from './first-lines.ts';

/** A line of an import with what no other line and no license may have. */
export interface ComparedLine {
  readonly line: number;
  readonly key: LicenseKey;
  readonly hasNewKey?: boolean | undefined;
  /** Of its alias. */
  readonly digest: string | undefined;
}

/** The places of what is compared in a row of the JSON that is sent. */
const places = { key: 1, alias: 2 } as const;

/** Returns a function that finds the lines whose keys or aliases a table or a license has. */
function finding(lines: readonly ComparedLine[]) {
  const json = jsonOf(lines.map(({ line, key, hasNewKey, digest }) => [line, hasNewKey ? null : key, digest ?? null]));
  const keys = new Map(lines.map(({ line, key }) => [line, key]));
  const having = (knex: Knex, of: Clash['of'], other: string, column: string): Knex.QueryBuilder =>
    knex
      .from(given(knex, json))
      .join(`${other} as other`, `other.${column}`, knex.raw(`r.value ->> ${places[of]}`))
      .select({ line: knex.raw('CAST(r.value ->> 0 AS integer)'), of: knex.raw(`'${of}'`) });
  const clashOf = (line: number, of: Clash['of']) => {
    const key = keys.get(line);
    if (key === undefined) throw new Error(`The line ${line} was not asked for.`);
    return { line, key, of };
  };
  return { having, clashOf };
}

/** Which of them must be looked for: nothing else has a new key. */
function comparedIn(lines: readonly ComparedLine[]) {
  return {
    haveKeys: lines.some(({ hasNewKey }) => !hasNewKey),
    haveAliases: lines.some(({ digest }) => digest !== undefined),
  };
}

/** The rows of all queries, in one statement. */
async function allOf<Row>([first, ...more]: readonly Knex.QueryBuilder[]): Promise<Row[]> {
  return first === undefined ? [] : await first.unionAll(more);
}

/** Returns a function that finds the lines whose keys or aliases a license has. */
export function findingTaken(lines: readonly ComparedLine[]): (knex: Knex) => Promise<Clash[]> {
  const { having, clashOf } = finding(lines);
  const { haveKeys, haveAliases } = comparedIn(lines);
  return async (knex) => {
    const ofLicense = (query: Knex.QueryBuilder) =>
      query.join('licenses as l', 'l.id', 'other.license_id').select('l.product_id');
    const rows = await allOf<{ line: number; of: Clash['of']; product_id: number }>([
      ...(haveKeys ? [having(knex, 'key', 'licenses', 'key').select('other.product_id')] : []),
      ...(haveKeys ? [ofLicense(having(knex, 'key', 'license_aliases', 'key'))] : []),
      ...(haveAliases ? [ofLicense(having(knex, 'alias', 'license_aliases', 'digest'))] : []),
    ]);
    return rows.map(({ line, of, product_id: id }) => ({ ...clashOf(line, of), productId: toProductId(id) }));
  };
}

/** Returns a function that finds the lines whose keys or aliases a staged line has. */
export function findingStaged(
  lines: readonly ComparedLine[],
  table: string,
): (trx: Knex.Transaction) => Promise<Clash[]> {
  const { having, clashOf } = finding(lines);
  const columns = { key: 'key', alias: 'alias_digest' } as const;
  return async (trx) => {
    const { haveKeys, haveAliases } = comparedIn(lines);
    const wanted = [...(haveKeys ? ['key' as const] : []), ...(haveAliases ? ['alias' as const] : [])];
    const rows = await allOf<{ line: number; of: Clash['of']; first: number }>(
      wanted.map((of) => having(trx, of, table, columns[of]).select({ first: 'other.line' })),
    );
    return rows.map(({ line, of, first }) => ({ ...clashOf(line, of), first }));
  };
}

/** Finds the lines that have the same as a line before them. */
export function twiceIn(lines: readonly ComparedLine[], firstOf: FirstOf = createFirstOf()): Clash[] {
  const of = (name: Clash['of'], textOf: (line: ComparedLine) => string | undefined) =>
    lines.flatMap((one): Clash[] => {
      const text = textOf(one);
      const first = text === undefined ? undefined : firstOf(`${name} ${text}`, one.line);
      return first === undefined ? [] : [{ line: one.line, key: one.key, of: name, first }];
    });
  return [...of('key', ({ key, hasNewKey }) => (hasNewKey ? undefined : key)), ...of('alias', ({ digest }) => digest)];
}

/** Returns the line before on which a key or a digest of an alias came first, or remembers this line. */
type FirstOf = (text: string, line: number) => number | undefined;

/** Remembers all lines of one part of a file. */
function createFirstOf(): FirstOf {
  const firsts = new Map<string, number>();
  return (text, line) => {
    const first = firsts.get(text);
    if (first === undefined) firsts.set(text, line);
    return first;
  };
}

/** Compares the lines of a check with licenses, and with one another. */
export function comparing() {
  const firstOf = createFirstLines();
  return (lines: readonly ImportLine[]) => {
    const compared = lines.map(({ line, key, hasNewKey, terms }) => {
      const digest = terms?.alias && foldedDigest(terms.alias.text);
      return { line, key, hasNewKey, digest };
    });
    const twice = twiceIn(compared, firstOf);
    const find = findingTaken(compared);
    return async (knex: Knex): Promise<Clash[]> => sorted([...twice, ...(await find(knex))]);
  };
}

/** In the order of the lines. */
export function sorted(clashes: readonly Clash[]): Clash[] {
  return clashes.toSorted((one, other) => one.line - other.line);
}
