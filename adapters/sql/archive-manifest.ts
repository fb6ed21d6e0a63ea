import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ImportRefused } from './archive-refused.ts';
import { archivedTables } from './archive-tables.ts';
import { migrations } from './migrations/index.ts';

/** The version of the form that exports have. */
export const format = 1;

const digest = { bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) };
const lines = z.strictObject({ rows: z.int().min(0), ...digest });
const manifest = z.strictObject({
  format: z.literal(format),
  /** Which program wrote it, for people. */
  program: z.string(),
  exported_at: z.string(),
  /** The last step of the schema that the rows are of. */
  schema: z.string(),
  tables: z.strictObject(Object.fromEntries(archivedTables.map(({ name }) => [name, lines]))),
  files: z.array(z.strictObject({ key: z.string(), ...digest })),
});

/** What an export holds. It is written last: a folder without one is no export. */
export type Manifest = z.output<typeof manifest>;

const place = (folder: string) => join(folder, 'manifest.json');

export async function writeManifest(folder: string, content: Manifest): Promise<void> {
  await writeFile(place(folder), `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx', flush: true });
}

/** Throws `ImportRefused` where it is of another version, or not whole. */
export async function readManifest(folder: string): Promise<Manifest> {
  const json = parse(await readFile(place(folder), 'utf8'));
  const { data: version } = z.object({ format: z.int(), program: z.string() }).safeParse(json);
  if (version && version.format > format) {
    throw new ImportRefused(`the export is of a newer version, ${version.program}. Import it with that one.`);
  }
  const { data, error } = manifest.safeParse(json);
  if (error) {
    const [issue] = error.issues;
    throw new ImportRefused(`manifest.json is not that of an export: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  checkSchema(data);
  return data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ImportRefused('manifest.json is not whole.', { cause: error });
  }
}

function checkSchema({ schema, program }: Manifest): void {
  const known = migrations.map(({ name }) => name);
  if (schema === known.at(-1)) return;
  throw new ImportRefused(
    known.includes(schema)
      ? `the export is of an older version, ${program}. Export the database that it came from again, with this one.`
      : `the export is of a newer version, ${program}. Import it with that one.`,
  );
}
