import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { migrations } from '../migrations/index.ts';
import { parseManifest } from './parse-manifest.ts';
import { ImportRefused } from './refused.ts';
import { archivedTables } from './tables.ts';

/** The version of the export format. */
export const format = 2;

export const digest = { bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) };
/** How an archive describes the secret that signs links. */
export const signingSecret = z.strictObject({
  /** Whether `secret.key` is beside the manifest. If not, the service takes the secret from SECRET_KEY. */
  included: z.boolean(),
  /** Used to check that a secret is the right one. */
  fingerprint: z.string(),
});
const lines = z.strictObject({ rows: z.int().min(0), ...digest });
const manifest = z.strictObject({
  format: z.literal(format),
  /** Name and version of the program that wrote it. Used in messages only. */
  program: z.string(),
  exported_at: z.string(),
  /** The name of the last migration of the exported database. */
  schema: z.string(),
  signing_secret: signingSecret,
  tables: z.strictObject(Object.fromEntries(archivedTables.map(({ name }) => [name, lines]))),
  files: z.array(z.strictObject({ key: z.string(), ...digest })),
});

/** The contents of an export. It is written last: an export without a manifest is incomplete. */
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
  newer: (program: string) => `the export was made by a newer version, ${program}. Import it with that version.`,
  older: (program: string) =>
    `the export was made by an older version, ${program}. Export the original database again with this version.`,
};

/** Reads the manifest in a folder. Throws `ImportRefused` if another version wrote it, or if it is damaged. */
export async function readManifest(folder: string): Promise<Manifest> {
  const read = parseManifest(await readFile(place(folder), 'utf8'), kind);
  if (read.schema !== migrations.at(-1)?.name) throw kind.refuse(kind.older(read.program));
  return read;
}
