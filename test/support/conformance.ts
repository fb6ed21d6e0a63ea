import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A part of an OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into the document as a client does
export type Json = Record<string, any>;

/** An operation. All its references to parameters, responses and headers are resolved. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With `{name}` for variable parts. */
  readonly path: string;
  readonly needsKey: boolean;
  readonly parameters: readonly Json[];
  readonly requestBody: Json | undefined;
  readonly responses: Readonly<Record<string, Json>>;
}

export function operationsOf(document: Json): Operation[] {
  const follow = (node: Json): Json => ('$ref' in node ? at(document, node.$ref) : node);
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, { operationId, parameters = [], requestBody, security, responses }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        path,
        needsKey: security.length > 0,
        parameters: parameters.map(follow),
        requestBody,
        responses: mapValues(responses, (response: Json) => {
          const { headers = {}, ...rest } = follow(response);
          return { ...rest, headers: mapValues(headers, follow) };
        }),
      })),
  );
}

/** Returns the failure codes that an operation declares for a status; empty for a success. */
export function codesOf({ responses }: Operation, status: string): string[] {
  const examples = Object.values<Json>(responses[status]?.content['application/json']?.examples ?? {});
  return examples.flatMap(({ value }) => codeOf(value) ?? []);
}

export function codeOf(body: Json | undefined): string | undefined {
  return body?.error?.code ?? body?.error;
}

/** Compares answers with an OpenAPI document, and remembers which declared answers it has seen. */
export interface Conformance {
  /** Returns the differences between an answer and the document, as sentences. An undeclared field is a difference. */
  faultsOf(operationId: string, answer: Given): string[];
  /** Returns the declared answers that never came: `<operationId> <status>`, and the code if it is a failure. */
  unseen(): string[];
}

export interface Given {
  readonly status: number;
  readonly headers: Headers;
  readonly body?: Json | undefined;
  readonly text?: string;
}

export function createConformance(document: Json): Conformance {
  const operations = new Map(operationsOf(document).map((operation) => [operation.id, operation]));
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  formats.default(ajv);
  ajv.addVocabulary(['components']);
  const components = { schemas: mapValues(document.components?.schemas ?? {}, closed) };
  const documentedHeaders = Object.keys(document.components?.headers ?? {});
  const seen = new Set<string>();
  /** Many answers have the same schema. */
  const compiled = new Map<Json, ValidateFunction>();

  return {
    faultsOf(operationId, { status, headers, body, text }) {
      const operation = operations.get(operationId);
      if (operation === undefined) return [`There is no operation ${operationId}.`];
      const response = operation.responses[status];
      if (response === undefined) return [`Status ${status} is not declared.`];
      const code = codeOf(body);
      // The schema of failures has the codes of all operations. The examples have those of this one.
      const known = codesOf(operation, String(status));
      seen.add([operationId, status, code].filter(Boolean).join(' '));
      const [type = ''] = headers.get('Content-Type')?.split(';') ?? [];
      const content = response.content[type];
      return [
        ...(code === undefined || known.includes(code) ? [] : [`Code ${code} is not declared.`]),
        ...(content === undefined
          ? [`Content type ${type} is not declared.`]
          : bodyFaults(content.schema, type === 'text/csv' ? text : body)),
        ...documentedHeaders.flatMap((name) => headerFaults(name, response.headers[name], headers.get(name))),
      ];
    },

    unseen: () =>
      [...operations.values()].flatMap((operation) =>
        Object.keys(operation.responses).flatMap((status) => {
          const answers = codesOf(operation, status).map((code) => `${operation.id} ${status} ${code}`);
          if (status.startsWith('2')) answers.push(`${operation.id} ${status}`);
          return answers.filter((answer) => !seen.has(answer));
        }),
      ),
  };

  function bodyFaults(schema: Json, body: unknown): string[] {
    const validate = compiled.get(schema) ?? ajv.compile({ ...closed(schema), components });
    compiled.set(schema, validate);
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`,
    );
  }

  function headerFaults(name: string, declared: Json | undefined, value: string | null): string[] {
    if (value === null) return declared?.required ? [`Header ${name} is missing.`] : [];
    if (declared === undefined) return [`Header ${name} is not declared.`];
    const read = declared.schema.type === 'integer' ? Number(value) : value;
    return ajv.validate(declared.schema, read) ? [] : [`Header ${name}: ${value} is not as declared.`];
  }
}

/** Returns a copy of the schema that forbids additional fields. */
function closed(schema: Json): Json {
  const all = (schemas: Json[] | undefined) => schemas?.map(closed);
  const { properties, items, anyOf, oneOf, allOf, ...rest } = schema;
  if (allOf) throw new Error('Parts of an allOf cannot be closed one by one.');
  return {
    ...rest,
    ...(properties && { properties: mapValues(properties, closed), additionalProperties: false }),
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: all(anyOf) }),
    ...(oneOf && { oneOf: all(oneOf) }),
  };
}

function mapValues<T, U>(object: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function at(document: Json, reference: string): Json {
  const path = reference.replace('#/', '').split('/');
  return path.reduce((node, name) => node[name], document);
}
