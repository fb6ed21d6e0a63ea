import { longestRecord, utf8Texts } from './records.ts';

/** Some rows of a JSON file, or why the rest cannot be read. */
interface JsonRows {
  readonly rows: readonly ReadonlyMap<string, string>[];
  readonly fault?: string;
}

const tooLong = `One of its JSON texts is longer than ${longestRecord} characters. Put the answers of their API one after the other, as they are.`;
const noJson = 'It is no JSON. Put the answers of their API one after the other, as they are.';

/**
 * Reads JSON texts that stand one after the other, such as the pages of an API. Each is a row, or has a list of rows: itself,
 * or in a field. Needs only as much memory as some pages.
 */
export async function* readJsonRows(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<JsonRows> {
  let rest = '';
  let at = 0;
  let depth = 0;
  let isQuoted = false;
  for await (const text of utf8Texts(chunks)) {
    if (text === undefined) return yield { rows: [], fault: 'From here on, the file is not text in UTF-8.' };
    const all = rest + text;
    let start = 0;
    const rows: ReadonlyMap<string, string>[] = [];
    for (; at < all.length; at++) {
      const one = all[at];
      if (isQuoted) {
        if (one === '\\') at++;
        else if (one === '"') isQuoted = false;
      } else if (one === '"') {
        isQuoted = true;
      } else if (one === '{' || one === '[') {
        depth++;
      } else if (one === '}' || one === ']') {
        depth--;
        if (depth <= 0) {
          const found = rowsIn(all.slice(start, at + 1));
          if (found === undefined) return yield { rows, fault: noJson };
          for (const row of found) rows.push(row);
          start = at + 1;
        }
      }
    }
    rest = all.slice(start);
    at -= start;
    yield { rows };
    if (rest.length > longestRecord) return yield { rows: [], fault: tooLong };
  }
  if (rest.trim() !== '') yield { rows: [], fault: noJson };
}

/** Returns the rows of one JSON text, or `undefined` if it is none. */
function rowsIn(text: string): ReadonlyMap<string, string>[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const listed = Array.isArray(value) ? value : listIn(value);
    return listed.flatMap((one) => (isObject(one) ? [rowOf(one)] : []));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields in which answers of APIs have their rows. */
const listFields = ['data', 'licenses'];

function listIn(value: unknown): readonly unknown[] {
  if (!isObject(value)) return [];
  const field = listFields.find((name) => name in value);
  if (field === undefined) return [value];
  const content = value[field];
  return Array.isArray(content) ? content : [content];
}

/** The fields of a row. Those of JSON:API have their own names, and a relationship has the id of what it leads to. */
function rowOf({ attributes, relationships, ...own }: Json): ReadonlyMap<string, string> {
  const related = Object.entries(isObject(relationships) ? relationships : {}).map(([name, one]) => {
    const data = isObject(one) ? one.data : undefined;
    return [name, isObject(data) ? data.id : undefined] as const;
  });
  const fields = [...Object.entries(own), ...related, ...Object.entries(isObject(attributes) ? attributes : {})];
  return new Map(fields.flatMap(([name, value]) => (isPlain(value) ? [[name, String(value)] as const] : [])));
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
