import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import { toProductId } from '../../../core/id.ts';
import { shownDomains } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { LicenseStore, NewLicense } from '../../../core/ports/license-store.ts';
import { isRefused, type Refused, refuse } from '../../../core/refusal.ts';
import { type Database, isPostgres } from '../database.ts';
import { lockKeys } from '../key-lock.ts';
import { record } from './audit-log.ts';
import { createLicenseChanges } from './license-changes.ts';
import { addNoteTexts } from './license-notes.ts';
import {
  type ActivationRow,
  type LicenseRow,
  licenseColumns,
  newLicenseRow,
  toActivation,
  toLicense,
  toScene,
} from './license-rows.ts';
import { createLicenseTurns } from './license-turns.ts';
import { lockLicenses, saveChanges } from './license-writes.ts';
import { lockNamed } from './named-activations.ts';
import { removeEnded } from './remove-ended.ts';
import { tellOfLicenses } from './webhook-outbox.ts';

const rowsAtOnce = 500;

interface FoundRow extends LicenseRow, ActivationRow {
  readonly product_title: string;
  readonly product_slug: string;
  readonly all_verifications: number;
  readonly last_of_all: number | null;
}

/** Stores licenses in SQL. `verify` comes from outside, because it accesses the database in its own way. */
export function createSqlLicenseStore(
  { read, readStale, write }: Database,
  verify: LicenseStore['verify'],
): LicenseStore {
  const readList = readStale ?? read;
  const inTurn = createLicenseTurns();
  const changeInBatch = createLicenseChanges(write);
  return {
    verify,

    add: (licenses, events) =>
      write(async (trx) => {
        await lockKeys(trx, 'shared');
        const clash = await takenKey(trx, licenses);
        if (clash !== undefined) return clash;
        await trx.batchInsert('licenses', licenses.map(newLicenseRow), rowsAtOnce);
        await addNoteTexts(trx, licenses);
        await record(trx, events);
        await tellOfNew(trx, licenses, events);
        return undefined;
      }),

    async find(key, freshness = 'fresh') {
      const stale: FoundRow[] = freshness === 'stale' && readStale ? await readStale((knex) => found(knex, key)) : [];
      // A new license may not be in the replica yet.
      const rows: FoundRow[] = stale.length > 0 ? stale : await read((knex) => found(knex, key));
      const [row] = rows;
      if (row === undefined) return undefined;
      return {
        license: toLicense(row),
        product: { id: toProductId(row.product_id), title: row.product_title, slug: row.product_slug },
        domains: rows.filter(({ domain }) => domain !== null).map(toActivation),
        verifications: { verificationCount: row.all_verifications, lastVerifiedAt: row.last_of_all },
      };
    },

    async list({ productId, after, limit }) {
      const rows = await readList((knex) =>
        knex<LicenseRow>('licenses')
          .select(...licenseColumns)
          .modify((query) => {
            if (productId !== undefined) query.where({ product_id: productId });
            if (after !== undefined) query.where('id', '>', knex('licenses').where({ key: after }).select('id'));
          })
          .orderBy('id')
          .limit(limit),
      );
      return rows.map(toLicense);
    },

    change: (key, named, decide) =>
      inTurn(key, async () => {
        if (named !== undefined) {
          let result: ReturnType<typeof decide> | undefined;
          const outcome = await changeInBatch({
            key,
            named,
            decide(license, scene) {
              result = decide(license, scene);
              return isRefused(result) ? undefined : result;
            },
          });
          if (outcome === 'unknown') return refuse('invalid_key');
          if (outcome === 'done' && result !== undefined) return result;
        }
        return await write(async (trx) => {
          const [row] = await lockLicenses(trx, [key], 'wait');
          if (row === undefined) return refuse('invalid_key');
          // A change of standing or expiry writes all rows, and so can an activation that starts the license.
          if (named === undefined || row.days_from_activation !== null) await lockAll(trx, row.id);
          const activations = named === undefined ? [] : await lockNamed(trx, { row, named });
          const change = decide(toLicense(row), toScene(row, activations));
          if (!isRefused(change)) await saveChanges(trx, [{ row, change }]);
          return change;
        });
      }),

    removeEnded: (now, limit) => write((trx) => removeEnded(trx, now, limit)),
  };
}

async function tellOfNew(
  trx: Knex.Transaction,
  licenses: readonly NewLicense[],
  events: readonly Event[],
): Promise<void> {
  const added = new Map<string, NewLicense>(licenses.map((license) => [license.key, license]));
  await tellOfLicenses(
    trx,
    events.flatMap((event) => {
      const license = added.get(event.subject);
      return license ? [{ event, license: { ...license, domainsUsed: 0 } }] : [];
    }),
  );
}

/** A batch of verifications locks the rows of its domains. It runs completely before this change, or after it. */
async function lockAll(trx: Knex.Transaction, id: number): Promise<void> {
  if (!isPostgres(trx)) return;
  const held = trx('activations').where({ license_id: id }).orderBy('domain').forUpdate().select(trx.raw('1'));
  await trx.from(held.as('held')).count({ rows: '*' }); // Only the number of rows is sent.
}

/**
 * One statement, so that all data is consistent. The database adds up all activations, and returns only those that are
 * shown: those that take no slot or end at some time, which are few, and the newest of the others.
 */
function found(knex: Knex, key: LicenseKey): Knex.QueryBuilder {
  const its = () => knex('activations').where('license_id', knex('wanted').select('id'));
  const isSpecial = "kind <> 'slot' OR ends_at IS NOT NULL";
  return knex
    .withMaterialized(
      'wanted',
      knex('licenses as l')
        .join('products as p', 'p.id', 'l.product_id')
        .where('l.key', key)
        .select(...licenseColumns.map((column) => `l.${column}`), 'p.title as product_title', 'p.slug as product_slug'),
    )
    .withMaterialized(
      'counted',
      its().select(
        knex.raw('CAST(coalesce(sum(verification_count), 0) AS bigint) AS all_verifications'),
        knex.raw('max(last_verified_at) AS last_of_all'),
        knex.raw(`count(CASE WHEN ${isSpecial} THEN 1 END) AS special`),
      ),
    )
    .withMaterialized(
      'newest',
      its()
        // Knex accepts no expression as a limit.
        .orderByRaw(
          `CASE WHEN ${isSpecial} THEN 0 ELSE 1 END, ordinal DESC LIMIT (SELECT special + ${shownDomains} FROM counted)`,
        ),
    )
    .from('wanted')
    .crossJoin(knex.ref('counted'))
    .leftJoin('newest', 'newest.license_id', 'wanted.id')
    .orderBy('newest.ordinal', 'desc')
    .select('newest.*', 'wanted.*', 'counted.*');
}

async function takenKey(
  trx: Knex.Transaction,
  licenses: readonly NewLicense[],
): Promise<Refused<'key_taken'> | undefined> {
  const seen = new Set<string>();
  for (let start = 0; start < licenses.length; start += rowsAtOnce) {
    const keys = licenses.slice(start, start + rowsAtOnce).map(({ key }) => key);
    const [known] = await trx('licenses').whereIn('key', keys).limit(1).pluck('key');
    const [staged] = await trx('license_import_lines').whereIn('key', keys).limit(1).pluck('key');
    const taken = known ?? staged ?? keys.find((key) => seen.size === seen.add(key).size);
    if (taken !== undefined) return refuse('key_taken', `The key ${taken} is taken.`);
  }
  return undefined;
}
