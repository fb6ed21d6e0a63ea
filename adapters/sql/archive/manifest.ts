import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { migrations } from '../migrations/index.ts';
import { parseManifest } from './parse-manifest.ts';
import { ImportRefused } from './refused.ts';
import { archivedTables } from './tables.ts';

/** The version of the form that exports have. */
export const format = 2;

export const digest = { bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) };
/** What an archive tells of the secret that links are signed with. */
export const signingSecret = z.strictObject({
  /** Whether `secret.key` is beside the manifest; else the service has it from SECRET_KEY. */
  included: z.boolean(),
  /** Tells whether a secret is the right one. */
  fingerprint: z.string(),
});
const lines = z.strictObject({ rows: z.int().min(0), ...digest });
const manifest = z.strictObject({
  format: z.literal(format),
  /** Which program wrote it, for people. */
  program: z.string(),
  exported_at: z.string(),
  /** The last step of the schema that the rows are of. */
  schema: z.string(),
  signing_secret: signingSecret,
  tables: z.strictObject(Object.fromEntries(archivedTables.map(({ name }) => [name, lines]))),
  files: z.array(z.strictObject({ key: z.string(), ...digest })),
});

/** What an export holds. It is written last: a folder without one is no export. */
export type Manifest = z.output<typeof manifest>;

const place = (folder: string) => join(folder, 'manifest.json');

export async function writeManifest(folder: string, content: Manifest): Promise<void> {
  await writeFile(place(folder), `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx', flush: true });
}

const kind = {
  name: 'an export',
  format,
  schema: manifest,
  refuse: (why: string, options?: ErrorOptions) => new ImportRefused(why, options),
  newer: (program: string) => `the export is of a newer version, ${program}. Import it with that one.`,
  older: (program: string) =>
    `the export is of an older version, ${program}. Export the database that it came from again, with this one.`,
};

/** Throws `ImportRefused` if it is of another version, or not whole. */
export async function readManifest(folder: string): Promise<Manifest> {
  const read = parseManifest(await readFile(place(folder), 'utf8'), kind);
  if (read.schema !== migrations.at(-1)?.name) throw kind.refuse(kind.older(read.program));
  return read;
}
