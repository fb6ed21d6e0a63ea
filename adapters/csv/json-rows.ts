import { longestRecord, mostAtOnce, utf8Texts } from './records.ts';

/** Returns the text of a field, or an empty text if the row has none. */
type JsonRow = (name: string) => string;

/** Some rows of a JSON file, or why the rest cannot be read. */
interface JsonRows {
  readonly rows: readonly JsonRow[];
  readonly fault?: string;
}

/** The most rows of one JSON text. The APIs have pages of some hundreds. */
const mostRows = 10_000;
/** The most objects, lists and fields of one JSON text. More would take long to parse, and nothing else could run meanwhile. */
const mostParts = 100_000;

const tooLong = `One of its JSON texts is longer than ${longestRecord} characters. Put the answers of their API one after the other, as they are.`;
const tooMany = `One of its JSON texts has more than ${mostRows} rows, or ${mostParts} objects, lists and fields. Put the answers of their API one after the other, as they are.`;
const noJson = 'It is no JSON. Put the answers of their API one after the other, as they are.';

/**
 * Reads JSON texts that stand one after the other, such as the pages of an API. Each is a row, or has a list of rows: itself,
 * or in a field. Needs only as much memory as some pages, and returns some rows at a time.
 */
export async function* readJsonRows(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<JsonRows> {
  let rest = '';
  let at = 0;
  let depth = 0;
  let parts = 0;
  let isQuoted = false;
  for await (const text of utf8Texts(chunks)) {
    if (text === undefined) return yield { rows: [], fault: 'From here on, the file is not text in UTF-8.' };
    const all = rest + text;
    let start = 0;
    let rows: JsonRow[] = [];
    for (; at < all.length; at++) {
      const one = all[at];
      if (isQuoted) {
        if (one === '\\') at++;
        else if (one === '"') isQuoted = false;
      } else if (one === '"') {
        isQuoted = true;
      } else if (one === '{' || one === '[' || one === ',') {
        if (one !== ',') depth++;
        parts++;
        if (parts > mostParts) return yield { rows, fault: tooMany };
      } else if (one === '}' || one === ']') {
        depth--;
        if (depth <= 0) {
          const found = rowsIn(all.slice(start, at + 1));
          if (typeof found === 'string') return yield { rows, fault: found };
          for (const row of found) {
            rows.push(rowOf(row));
            if (rows.length < mostAtOnce) continue;
            yield { rows };
            rows = [];
          }
          start = at + 1;
          parts = 0;
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

/** Returns the rows of one JSON text, or why it has none. */
function rowsIn(text: string): readonly Json[] | string {
  try {
    const value: unknown = JSON.parse(text);
    const listed = Array.isArray(value) ? value : listIn(value);
    return listed.length > mostRows ? tooMany : listed.filter(isObject);
  } catch (error) {
    if (error instanceof SyntaxError) return noJson;
    throw error;
  }
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names of the field with the rows. */
const listFields = ['data', 'licenses'];

function listIn(value: unknown): readonly unknown[] {
  if (!isObject(value)) return [];
  const field = listFields.find((name) => name in value);
  if (field === undefined) return [value];
  const content = value[field];
  return Array.isArray(content) ? content : [content];
}

/** Those of JSON:API have fields of their own, and a relationship has the id of what it leads to. */
function rowOf(row: Json): JsonRow {
  const attributes = isObject(row.attributes) ? row.attributes : {};
  const relationships = isObject(row.relationships) ? row.relationships : {};
  return (name) => {
    const related = isObject(relationships[name]) ? relationships[name].data : undefined;
    const id = isObject(related) ? related.id : undefined;
    const text = [attributes[name], id, row[name]].find(isPlain);
    return text === undefined ? '' : String(text).trim();
  };
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
