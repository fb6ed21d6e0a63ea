import { type Database, isPostgres } from './database.ts';

/** What a database knows of the secret that links are signed with. */
export interface SigningFingerprint {
  /** `fingerprint` tells whether a secret is the right one; `secret` is there where an older version left it. */
  read(): Promise<{ readonly fingerprint?: string | undefined; readonly secret?: string | undefined }>;
  /**
   * Stores the fingerprint if there is none. Returns the stored one. If it is the same, deletes the old secret from the database.
   */
  agree(fingerprint: string): Promise<string>;
  /** Stores the fingerprint in place of any other, and deletes the old secret from the database. */
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
      // What SQLite deletes stays in its file, unless it is told to overwrite it.
      if (!isPostgres(trx)) await trx.raw('PRAGMA secure_delete = ON');
      const deleted = await trx('settings').where({ name: secretName }).delete();
      return { kept: value, isLeft: deleted > 0 && !isPostgres(trx) };
    });
    // And in its log, until that is folded back.
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
