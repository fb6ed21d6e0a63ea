import { createHash } from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly security?: unknown;
  readonly parameters?: readonly { readonly $ref?: string }[];
  readonly responses: Readonly<Record<string, { readonly headers?: unknown }>>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Json };
}

/** Returns the part of an OpenAPI document that the account client is made from: its calls with their successes. */
export function clientPart({ openapi, paths, components }: Document): Json {
  const own = Object.entries(paths).filter(([path]) => path.startsWith('/api/'));
  const called = Object.fromEntries(own.map(([path, item]) => [path, onlySuccesses(item)]));
  return {
    openapi,
    info: { title: 'Account API', version: '1' },
    security: [],
    paths: called,
    components: { schemas: usedBy(called, components.schemas) },
  };
}

/** Returns the schemas to which a part of the document refers, also by other schemas. */
function usedBy(part: Json, schemas: Json): Json {
  const used = new Set<string>();
  const follow = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      follow(schemas[name]);
    }
  };
  follow(part);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}

/** The operations of a path without failures, headers and the key of idempotency, which the client sends by itself. */
function onlySuccesses(item: Readonly<Record<string, Operation>>): Json {
  return Object.fromEntries(
    Object.entries(item)
      .filter(([method]) => method !== 'servers')
      .map(([method, { security: _, parameters = [], responses, ...operation }]) => [
        method,
        {
          ...operation,
          parameters: parameters.filter(({ $ref }) => $ref === undefined),
          responses: Object.fromEntries(
            Object.entries(responses)
              .filter(([status]) => status.startsWith('2'))
              .map(([status, { headers: _, ...response }]) => [status, response]),
          ),
        },
      ]),
  );
}

/** Returns the codes of all failures of the account API. */
export function failureCodes(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return [
    ...new Set(
      Object.entries(value).flatMap(([name, inner]) => [
        ...(name === 'code' ? [inner?.const, ...(inner?.enum ?? [])] : []),
        ...failureCodes(inner),
      ]),
    ),
  ]
    .filter((code) => /^[A-Z_]+$/.test(code ?? ''))
    .sort();
}

/** Returns a hash that identifies the document from which the types were made. */
export function fingerprintOf(document: Document): string {
  const made = [clientPart(document), failureCodes(document)];
  return createHash('sha256').update(JSON.stringify(made)).digest('hex');
}
