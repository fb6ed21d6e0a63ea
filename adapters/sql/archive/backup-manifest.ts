import { z } from 'zod';
import { digest, signingSecret } from './manifest.ts';
import { parseManifest } from './parse-manifest.ts';

/** What is in a backup beside its files and its secret. */
export const backupNames = { manifest: 'manifest.json', database: 'latchkey.db' } as const;

/** The version of the form that backups have. */
export const backupFormat = 1;

const manifest = z.strictObject({
  format: z.literal(backupFormat),
  /** Which program wrote it, for people. */
  program: z.string(),
  made_at: z.string(),
  /** The last step of the schema that the database has had. */
  schema: z.string(),
  database: z.strictObject(digest),
  signing_secret: signingSecret,
  files: z.array(z.strictObject({ key: z.string(), ...digest })),
});

/** What a backup holds. It is written last: what has none is no whole backup. */
export type BackupManifest = z.output<typeof manifest>;

/** A restore that was refused, told in one line. It has changed nothing. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
  constructor(why: string, options?: ErrorOptions) {
    super(`Nothing was restored: ${why}`, options);
  }
}

/** Throws `RestoreRefused` if it is damaged, newer, or of an older format. The next start updates an older schema. */
export function parseBackupManifest(text: string): BackupManifest {
  return parseManifest(text, {
    name: 'a backup',
    format: backupFormat,
    schema: manifest,
    refuse: (why, options) => new RestoreRefused(why, options),
    newer: (program) => `the backup is of a newer version, ${program}. Restore it with that one.`,
    older: (program) => `the backup is of an older version, ${program}. Restore it with that one.`,
  });
}
