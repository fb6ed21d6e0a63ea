import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import { neverActivated } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { NewLicense } from '../../../core/ports/license-store.ts';
import { type Refused, refuse } from '../../../core/refusal.ts';
import { given, inserting, jsonOf, type Types } from '../json-rows.ts';
import { lockKeys } from '../key-lock.ts';
import { recording } from './audit-log.ts';
import { addNoteTexts } from './license-notes.ts';
import { newLicenseRow, sharedColumns } from './license-rows.ts';
import { tellOfLicenses } from './webhook-outbox.ts';

const types: Types<ReturnType<typeof newLicenseRow>> = {
  ...sharedColumns,
  created_at: 'bigint',
  own_standing: 'text',
};

/**
 * Returns a function that adds licenses with their events in a transaction. It refuses if a key is taken, and adds nothing
 * then. What it needs is made before the transaction, so that the transaction is short.
 */
export function issuing(licenses: readonly NewLicense[], events: readonly Event[]) {
  const insert = insertingLicenses(licenses);
  const recordAll = recording(events);
  return async (trx: Knex.Transaction): Promise<undefined | Refused<'key_taken'>> => {
    const clash = await insert(trx);
    if (clash !== undefined) return clash;
    await recordAll(trx);
    await tellOfNew(trx, licenses, events);
    return undefined;
  };
}

/** The same without events. */
export function insertingLicenses(licenses: readonly NewLicense[]) {
  const insert = inserting('licenses', types, licenses.map(newLicenseRow));
  const find = findingTaken(licenses.map(({ key }) => key));
  return async (trx: Knex.Transaction): Promise<undefined | Refused<'key_taken'>> => {
    await lockKeys(trx, 'shared');
    const taken = await find(trx);
    if (taken !== undefined) return refuse('key_taken', `The key ${taken} is taken.`);
    await insert(trx);
    await addNoteTexts(trx, licenses);
    return undefined;
  };
}

/** Adds the deliveries of webhooks about new licenses. */
export async function tellOfNew(
  trx: Knex.Transaction,
  licenses: readonly NewLicense[],
  events: readonly Event[],
): Promise<void> {
  const added = new Map<string, NewLicense>(licenses.map((license) => [license.key, license]));
  await tellOfLicenses(
    trx,
    events.flatMap((event) => {
      const license = added.get(event.subject);
      return license ? [{ event, license: { ...neverActivated, ...license } }] : [];
    }),
  );
}

/** Returns a function that finds a key that is in use, or was until a new one replaced it, or is twice in the list. */
export function findingTaken(keys: readonly LicenseKey[]): (trx: Knex.Transaction) => Promise<string | undefined> {
  const seen = new Set<string>();
  const twice = keys.find((key) => seen.size === seen.add(key).size);
  const json = jsonOf(keys.map((key) => [key]));
  return async (trx) => {
    for (const table of ['licenses', 'license_import_lines', 'license_aliases']) {
      const [taken]: string[] = await trx
        .from(given(trx, json))
        .join(`${table} as other`, 'other.key', trx.raw('r.value ->> 0'))
        .limit(1)
        .pluck('other.key');
      if (taken !== undefined) return taken;
    }
    return twice;
  };
}
