import { z } from 'zod';
import { digest, signingSecret } from './manifest.ts';
import { parseManifest } from './parse-manifest.ts';

/** The names of the manifest and the database in a backup. */
export const backupNames = { manifest: 'manifest.json', database: 'latchkey.db' } as const;

/** The version of the backup format. */
export const backupFormat = 1;

const manifest = z.strictObject({
  format: z.literal(backupFormat),
  /** Name and version of the program that wrote it. Used in messages only. */
  program: z.string(),
  made_at: z.string(),
  /** The name of the last migration of the database. */
  schema: z.string(),
  database: z.strictObject(digest),
  signing_secret: signingSecret,
  files: z.array(z.strictObject({ key: z.string(), ...digest })),
});

/** The contents of a backup. It is written last: a backup without a manifest is incomplete. */
export type BackupManifest = z.output<typeof manifest>;

/** A restore was refused and has changed nothing. The message is one line. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
  constructor(why: string, options?: ErrorOptions) {
    super(`Nothing was restored: ${why}`, options);
  }
}

/**
 * Parses a manifest. Throws `RestoreRefused` if it is damaged, from a newer version, or in an older format. An older
 * schema is accepted, because the next start migrates the database.
 */
export function parseBackupManifest(text: string): BackupManifest {
  return parseManifest(text, {
    name: 'a backup',
    format: backupFormat,
    schema: manifest,
    refuse: (why, options) => new RestoreRefused(why, options),
    newer: (program) => `the backup was made by a newer version, ${program}. Restore it with that version.`,
    older: (program) => `the backup was made by an older version, ${program}. Restore it with that version.`,
  });
}
