import type { Knex } from 'knex';
import {
  type Alias,
  type AliasKind,
  type AliasText,
  type NewAlias,
  parseAlias,
} from '../../../core/licensing/alias.ts';
import type { License } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { noNotes } from '../../../core/licensing/license-notes.ts';
import type { FoundAlias, KeyChange, KeyScene, LicenseAliases } from '../../../core/ports/license-aliases.ts';
import { isRefused, type Refused, refuse } from '../../../core/refusal.ts';
import type { Database } from '../database.ts';
import { lockKeys } from '../key-lock.ts';
import { exactDigest, foldedDigest, storedAlias } from './alias-digests.ts';
import { record } from './audit-log.ts';
import { findingTaken } from './license-issue.ts';
import { notesOf } from './license-notes.ts';
import { type LockedLicenseRow, toLicense } from './license-rows.ts';
import { lockAll, lockLicenses } from './license-writes.ts';
import { lockOrdersOf, renameInOrders } from './orders-of-license.ts';
import { tell } from './tell.ts';
import { tellOfLicenses } from './webhook-outbox.ts';

interface AliasRow {
  readonly id: number;
  readonly license_id: number;
  readonly kind: string;
  readonly digest: string;
  readonly exact_digest: string;
  readonly hint: string;
  readonly key: string | null;
  readonly valid_until: number | null;
  readonly added_at: number;
  readonly by_holder: number;
}

interface FoundRow extends Pick<AliasRow, 'kind' | 'exact_digest' | 'valid_until'> {
  readonly license_key: string;
}

const table = (knex: Knex) => knex<AliasRow>('license_aliases');

export function createSqlLicenseAliases({ read, write }: Pick<Database, 'read' | 'write'>): LicenseAliases {
  return {
    async find(asked) {
      const text = parseAlias(asked);
      if (text === undefined) return undefined;
      const digest = foldedDigest(text);
      const row: FoundRow | undefined = await read((knex) =>
        knex('license_aliases as a')
          .join('licenses as l', 'l.id', 'a.license_id')
          .where('a.digest', digest)
          .first('a.kind', 'a.exact_digest', 'a.valid_until', 'l.key as license_key'),
      );
      return row && found(row, text);
    },

    of: (key) => read((knex) => aliasesOf(knex, { key })),

    change: (key, decide) => write((trx) => changeKeys(trx, key, decide)),
  };
}

function found(row: FoundRow, text: AliasText): FoundAlias | undefined {
  const kind = row.kind as AliasKind;
  if (exactDigest(text, kind) !== row.exact_digest) return undefined;
  return { license: row.license_key as LicenseKey, kind, validUntil: row.valid_until };
}

/** `LicenseAliases.change`, in a transaction. Locks the orders of the license before the license, as payments do. */
async function changeKeys<C extends KeyChange, R extends string>(
  trx: Knex.Transaction,
  key: LicenseKey,
  decide: (license: License, scene: KeyScene) => C | Refused<R>,
): Promise<C | Refused<R | 'invalid_key' | 'alias_taken' | 'key_taken'>> {
  await lockOrdersOf(trx, key);
  const [row] = await lockLicenses(trx, [key], 'wait');
  if (row === undefined) return refuse('invalid_key');
  const change = decide(toLicense(row), await sceneOf(trx, row));
  if (isRefused(change) || change.event === undefined) return change;
  const { newKey, add = [], end, remove, license, event } = change;
  if (newKey !== undefined || add.length > 0) await lockKeys(trx, 'shared');
  if (newKey !== undefined) {
    if ((await findingTaken([newKey])(trx)) !== undefined) return refuse('key_taken');
    // A verification in progress counts before the change, or not at all.
    await lockAll(trx, [row.id]);
  }
  for (const one of add) if (!(await insert(trx, row, one))) return refuse('alias_taken');
  if (end) await table(trx).where({ id: end.id, license_id: row.id }).update({ valid_until: end.at });
  if (remove !== undefined) await table(trx).where({ id: remove, license_id: row.id }).delete();
  if (newKey !== undefined) {
    await trx('licenses').where({ id: row.id }).update({ key: newKey });
    // Again: an order can have been placed before the license was locked.
    await renameInOrders(trx, await lockOrdersOf(trx, key), key, newKey);
  }
  await record(trx, [event]);
  await tellOfLicenses(trx, [{ event, license }]);
  await tell(trx, change);
  return change;
}

async function sceneOf(trx: Knex.Transaction, row: LockedLicenseRow): Promise<KeyScene> {
  const product: { title: string; rotations_per_year: number } = await trx('products')
    .where({ id: row.product_id })
    .first('title', 'rotations_per_year');
  return {
    aliases: await aliasesOf(trx, { id: row.id }),
    notes: (await notesOf(trx, row.key as LicenseKey)) ?? noNotes,
    product: { title: product.title },
    rotationsPerYear: product.rotations_per_year,
  };
}

async function aliasesOf(
  knex: Knex,
  license: { readonly id: number } | { readonly key: LicenseKey },
): Promise<Alias[]> {
  const rows = await table(knex).where('license_id', knex('licenses').where(license).select('id')).orderBy('id');
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind as AliasKind,
    hint: row.hint,
    formerKey: row.key as LicenseKey | null,
    validUntil: row.valid_until,
    addedAt: row.added_at,
    isByHolder: row.by_holder === 1,
  }));
}

/**
 * Returns `false` if the text leads to a license already, or will after an import. A transaction that adds the same text waits
 * for this one.
 */
async function insert(trx: Knex.Transaction, { id, key }: LockedLicenseRow, alias: NewAlias): Promise<boolean> {
  const { text, kind, validUntil, addedAt, isByHolder } = alias;
  const stored = storedAlias(text, kind);
  if (await trx('license_import_lines').where({ alias_digest: stored.digest }).first('line')) return false;
  const rows = await table(trx)
    .insert({
      license_id: id,
      ...stored,
      key: kind === 'former' ? key : null,
      valid_until: validUntil,
      added_at: addedAt,
      by_holder: Number(isByHolder),
    })
    .onConflict('digest')
    .ignore()
    .returning('id');
  return rows.length > 0;
}
