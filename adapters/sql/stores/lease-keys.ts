import type { Knex } from 'knex';
import type { LeaseKeyStore, PublishedKey, StoredKey } from '../../../core/ports/lease-key-store.ts';
import type { LeaseKeyPair } from '../../../core/ports/lease-signing.ts';
import { hour } from '../../../core/time.ts';
import { holdLock } from '../advisory-locks.ts';
import { type Database, isPostgres } from '../database.ts';
import { record } from './audit-log.ts';

interface KeyRow {
  /** The first key has 1. */
  readonly ordinal: number;
  readonly kid: string;
  readonly public_key: string;
  /** Sealed. `null` as soon as the key is replaced. */
  readonly private_key: LeaseKeyPair['privateKey'] | null;
  readonly created_at: number;
  readonly retired_at: number | null;
  readonly longest_hours: number;
}

const keyTable = 'lease_keys';

export function createSqlLeaseKeyStore({ read, write }: Pick<Database, 'read' | 'write'>): LeaseKeyStore {
  return {
    currentKey: () => read(findCurrent),
    async list() {
      const rows: KeyRow[] = await read((knex) => knex<KeyRow>(keyTable).orderBy('ordinal', 'desc'));
      return rows.map(toPublished);
    },
    addFirst: (pair, longestHours, now) =>
      write(async (trx) => {
        await trx<KeyRow>(keyTable)
          .insert(toRow(1, pair, longestHours, now))
          .onConflict('ordinal')
          .ignore();
        const current = await findCurrent(trx);
        if (current === undefined) throw new Error('There are keys of leases, but none that signs.');
        return current;
      }),
    rotate: (pair, longestHours, event) =>
      write(async (trx) => {
        await holdLock(trx, 'leaseKeys');
        await deleteSecurely(trx);
        const last = await trx<KeyRow>(keyTable).orderBy('ordinal', 'desc').first('ordinal');
        await trx<KeyRow>(keyTable).whereNull('retired_at').update({ retired_at: event.at, private_key: null });
        await trx<KeyRow>(keyTable).insert(toRow((last?.ordinal ?? 0) + 1, pair, longestHours, event.at));
        await record(trx, [event]);
      }),
    reseal: ({ kid, privateKey }, sealed) =>
      write(async (trx) => {
        await deleteSecurely(trx);
        await trx<KeyRow>(keyTable).where({ kid, private_key: privateKey }).update({ private_key: sealed });
      }),
    async lengthen(kid, hours) {
      await write((trx) =>
        trx<KeyRow>(keyTable).where({ kid }).where('longest_hours', '<', hours).update({ longest_hours: hours }),
      );
    },
    forget: (now, slack) =>
      write((trx) =>
        trx<KeyRow>(keyTable)
          .whereNotNull('retired_at')
          .whereRaw('retired_at + longest_hours * CAST(? AS bigint) <= ?', [hour, now - slack])
          .delete(),
      ),
  };
}

/** Without this setting, SQLite leaves deleted data in its file. */
async function deleteSecurely(trx: Knex.Transaction): Promise<void> {
  if (!isPostgres(trx)) await trx.raw('PRAGMA secure_delete = ON');
}

async function findCurrent(knex: Knex): Promise<StoredKey | undefined> {
  const row = await knex<KeyRow>(keyTable).whereNull('retired_at').first();
  return row === undefined || row.private_key === null
    ? undefined
    : { ...toPublished(row), privateKey: row.private_key };
}

function toRow(
  ordinal: number,
  { kid, publicKey, privateKey }: LeaseKeyPair,
  longestHours: number,
  now: number,
): KeyRow {
  return {
    ordinal,
    kid,
    public_key: publicKey,
    private_key: privateKey,
    created_at: now,
    retired_at: null,
    longest_hours: longestHours,
  };
}

function toPublished(row: KeyRow): PublishedKey {
  const { kid, public_key: publicKey, created_at: createdAt, retired_at: retiredAt, longest_hours } = row;
  return { kid, publicKey, createdAt, retiredAt, longestHours: longest_hours };
}
