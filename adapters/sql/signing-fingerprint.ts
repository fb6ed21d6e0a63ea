import { type Database, isPostgres } from './database.ts';

/** The fingerprint of the secret that signs links. It is stored in the database to detect a wrong secret. */
export interface SigningFingerprint {
  /** `secret` is set only if an older version has stored the secret itself. */
  read(): Promise<{ readonly fingerprint?: string | undefined; readonly secret?: string | undefined }>;
  /**
   * Stores the fingerprint if none is stored yet. Returns the stored one. If both are equal, deletes a secret that an
   * older version has stored.
   */
  agree(fingerprint: string): Promise<string>;
  /** Replaces the stored fingerprint, and deletes a secret that an older version has stored. */
  replace(fingerprint: string): Promise<void>;
}

const secretName = 'signing_secret';
const fingerprintName = 'signing_fingerprint';

export function createSqlSigningFingerprint({ read, write }: Pick<Database, 'read' | 'write'>): SigningFingerprint {
  const keep = async (fingerprint: string, isForced: boolean) => {
    const { kept, isLeft } = await write(async (trx) => {
      const inserting = trx('settings').insert({ name: fingerprintName, value: fingerprint }).onConflict('name');
      await (isForced ? inserting.merge() : inserting.ignore());
      const { value } = await trx('settings').where({ name: fingerprintName }).first('value');
      if (value !== fingerprint) return { kept: value, isLeft: false };
      // Without this setting, SQLite leaves deleted data in its file.
      if (!isPostgres(trx)) await trx.raw('PRAGMA secure_delete = ON');
      const deleted = await trx('settings').where({ name: secretName }).delete();
      return { kept: value, isLeft: deleted > 0 && !isPostgres(trx) };
    });
    // The secret is also in the WAL until a checkpoint empties it.
    if (isLeft) await read((knex) => knex.raw('PRAGMA wal_checkpoint(TRUNCATE)'));
    return kept;
  };
  return {
    async read() {
      const rows: { name: string; value: string }[] = await read((knex) =>
        knex('settings').whereIn('name', [secretName, fingerprintName]),
      );
      const named = (name: string) => rows.find((row) => row.name === name)?.value;
      return { fingerprint: named(fingerprintName), secret: named(secretName) };
    },
    agree: (fingerprint) => keep(fingerprint, false),
    replace: async (fingerprint) => void (await keep(fingerprint, true)),
  };
}
