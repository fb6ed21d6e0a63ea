import { z } from 'zod';
import { migrations } from '../migrations/index.ts';

/** One kind of archive: its format, and how to refuse it. */
interface Kind<T> {
  /** With its article: "an export". */
  readonly name: string;
  readonly format: number;
  readonly schema: z.ZodType<T>;
  refuse(why: string, options?: ErrorOptions): Error;
  /** The message if a newer version of the program made it. */
  newer(program: string): string;
  /** The message if an older version of the program made it. */
  older(program: string): string;
}

interface Version {
  readonly program: string;
  /** The name of the last migration. */
  readonly schema: string;
}

/**
 * Parses the text of a manifest. Throws the error of `refuse` if it is damaged, of another kind, or from a version that
 * this program cannot read.
 */
export function parseManifest<T extends Version>(
  text: string,
  { name, format, schema, refuse, newer, older }: Kind<T>,
): T {
  const json = parse(text, refuse);
  const { data: version } = z.object({ format: z.int(), program: z.string() }).safeParse(json);
  if (version && version.format > format) throw refuse(newer(version.program));
  if (version && version.format < format) throw refuse(older(version.program));
  const { data, error } = schema.safeParse(json);
  if (error) {
    const [issue] = error.issues;
    throw refuse(`manifest.json is not the manifest of ${name}: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  if (!migrations.some((migration) => migration.name === data.schema)) throw refuse(newer(data.program));
  return data;
}

function parse(text: string, refuse: Kind<unknown>['refuse']): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse('manifest.json is incomplete.', { cause: error });
  }
}
