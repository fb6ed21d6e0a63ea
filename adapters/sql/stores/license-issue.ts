import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import type { NewLicense } from '../../../core/ports/license-store.ts';
import { type Refused, refuse } from '../../../core/refusal.ts';
import { lockKeys } from '../key-lock.ts';
import { addNoteTexts } from './license-notes.ts';
import { newLicenseRow } from './license-rows.ts';
import { tellOfLicenses } from './webhook-outbox.ts';

const rowsAtOnce = 500;

/** Adds licenses in the transaction that issues them. Refuses if a key is taken, and adds nothing then. */
export async function insertLicenses(
  trx: Knex.Transaction,
  licenses: readonly NewLicense[],
): Promise<undefined | Refused<'key_taken'>> {
  await lockKeys(trx, 'shared');
  const clash = await takenKey(trx, licenses);
  if (clash !== undefined) return clash;
  const rows = licenses.map(newLicenseRow);
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    await trx('licenses').insert(rows.slice(start, start + rowsAtOnce));
  }
  await addNoteTexts(trx, licenses);
  return undefined;
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
      return license ? [{ event, license: { ...license, domainsUsed: 0 } }] : [];
    }),
  );
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
