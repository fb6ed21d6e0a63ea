import { z } from 'zod';
import { migrations } from '../migrations/index.ts';

/** One kind of archive: its form, and how it is refused. */
interface Kind<T> {
  /** As in "manifest.json is not that of an export". */
  readonly name: string;
  readonly format: number;
  readonly schema: z.ZodType<T>;
  refuse(why: string, options?: ErrorOptions): Error;
  /** Why it is refused, if this newer version of the program made it. */
  newer(program: string): string;
  /** The same of an older one. */
  older(program: string): string;
}

interface Version {
  readonly program: string;
  /** The last step of the schema. */
  readonly schema: string;
}

/** Throws what `refuse` returns if the text is no whole manifest of this kind, or of another version of the program. */
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
    throw refuse(`manifest.json is not that of ${name}: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  if (!migrations.some((migration) => migration.name === data.schema)) throw refuse(newer(data.program));
  return data;
}

function parse(text: string, refuse: Kind<unknown>['refuse']): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse('manifest.json is not whole.', { cause: error });
  }
}
