import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { scopes } from '../../../core/accounts/scope.ts';
import { mediaTypes } from '../../media-types.ts';
import type { Route } from '../route.ts';
import type { Form } from '../upload.ts';
import { createSharedFailures, type SharedFailures } from './failures.ts';
import { camelCase } from './names.ts';
import { fileContent, headers, responsesOf } from './responses.ts';
import { createSchemas, exampleOf, type Json, type Schemas } from './schema.ts';
import { type Sent, webhook, webhookParameters, webhookResponses } from './webhooks.ts';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, Json>>;
  /** What the service sends, by the name of the event. */
  readonly webhooks: Readonly<Record<string, Json>>;
  readonly components: Readonly<Record<string, Json>>;
}

/** The content of the document. */
export interface Documented {
  /** The APIs, each with its public address. */
  readonly apis: readonly { readonly routes: readonly Route[]; readonly url: string }[];
  /** What the service sends. */
  readonly webhooks: readonly Sent[];
  /** The public address of the document. */
  readonly url: string;
  /** The version of the software. */
  readonly version: string;
}

/** Makes the document from the routes and the table of failures only. */
export function openApiDocument(documented: Documented): OpenApiDocument {
  const steps = documentSteps(documented);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same, and lets other requests run after each route: all at once would delay verifications. */
export async function openApiDocumentInSteps(documented: Documented): Promise<OpenApiDocument> {
  const steps = documentSteps(documented);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}

function* documentSteps({ apis, webhooks, url, version }: Documented): Generator<undefined, OpenApiDocument> {
  const schemas = createSchemas();
  const failures = createSharedFailures(schemas);
  const paths: Record<string, Json> = {};
  for (const api of apis) {
    const servers = api.url === url ? {} : { servers: [{ url: api.url }] };
    for (const route of api.routes) {
      // Other paths of a route are in its description: clients that are made from the document get one function for a call.
      const path = templated(route.paths[0] ?? '');
      // One path may have several methods.
      paths[path] = { ...paths[path], ...servers, [route.method]: operation(route, schemas, failures) };
      yield;
    }
  }
  const sent: Record<string, Json> = {};
  for (const one of webhooks) {
    sent[one.name] = webhook(one, schemas);
    yield;
  }
  failures.addSchemas();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Latchkey',
      version,
      summary: 'Licenses, templates, marketplace and deployments',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative, so that programs call the address that they loaded the document from.
    servers: [{ url: new URL(url).pathname }],
    tags: [...new Set(apis.flatMap(({ routes }) => routes.map(({ tag }) => tag)))].map((tag) => ({ ...tag })),
    paths,
    webhooks: sent,
    components: {
      schemas: schemas.components,
      responses: { ...failures.responses, ...(webhooks.length > 0 && webhookResponses) },
      headers,
      parameters: { IdempotencyKey: idempotencyKey, ...(webhooks.length > 0 && webhookParameters) },
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: keyDescription,
        },
      },
    },
  };
}

const introduction = `
The **license API** binds licenses to domains and checks them. It needs no key, and any site may call it from a browser.
The **account API** is under \`/api/\` and needs the header \`X-API-Key\`.

- Failures of activate, deactivate and status are \`{success: false, error, message}\`, those of verify and lease
  \`{valid: false, error, message}\`, those of the account API \`{error: {code, message}}\`. The errors of single
  parameters are in \`errors\` (account API: \`error.fields\`), by name. Programs should use the code: messages may change.
- An unknown address returns 404 and a wrong method 405, in the same form (browsers get a page for 404). A request that cannot be read as HTTP, or does
  not arrive completely, returns 400, 408 or 431 in the form of the license API.
- An API key may have only some scopes. A call that needs another one returns 403 with \`FORBIDDEN\`, and the message names it.
- More fields may be added to any response. Ignore fields that you do not know.
- Send \`X-Request-Id\` to find a request again: the response and the server's log contain it.
`.trim();

const keyDescription = `
A live or test key of an account, such as \`lk_sk_live_\` and 32 hexadecimal digits. A key has all scopes, or only some:

${Object.entries(scopes)
  .map(([scope, allowed]) => `- \`${scope}\`: ${allowed}`)
  .join('\n')}
`.trim();

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text of your choice that identifies this request. If you send the same request again within 24 hours, you get the same response, and nothing is done twice. A different request with the same key is refused. While the first request is in progress, the same request gets 409. If the server is killed during the first request, this lasts up to a minute longer. After a 503 without `Retry-After`, it is unknown whether the request was carried out, and the same request gets 409.',
  schema: { type: 'string', maxLength: 255 },
  example: '6f9619ff-8b86-4011-b42d-00c04fc964ff',
};

function operation(route: Route, schemas: Schemas, failures: SharedFailures): Json {
  const parameters = [
    ...parametersIn('path', route.params, schemas),
    ...parametersIn('query', route.query, schemas),
    ...(route.isIdempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  const requestBody = requestBodyOf(route, schemas);
  const description = describe(route);
  return {
    operationId: camelCase(route.id),
    summary: route.summary,
    ...(description && { description }),
    tags: [route.tag.name],
    security: route.needsKey ? [{ apiKey: route.scope ? [route.scope] : [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, schemas, failures),
  };
}

function describe({ description, paths: [, ...others], scope }: Route): string {
  const same = others.map((path) => `\`${templated(path)}\``).join(', ');
  return [description, same && `Also at ${same}.`, scope && `Needs the scope \`${scope}\`.`].filter(Boolean).join(' ');
}

/** Returns a path as the document writes it, with `{name}` for its variable parts. */
export function templated(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function parametersIn(place: 'path' | 'query', schema: z.ZodType | undefined, schemas: Schemas): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.resolve(schemas.of(schema, 'input'));
  return Object.entries(properties).map(([name, property]) => {
    const { description, examples: _, ...rest } = property;
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description && { description }),
      schema: rest,
      example: exampleOf(property, schemas),
    };
  });
}

function requestBodyOf({ body, form, file }: Route, schemas: Schemas): Json | undefined {
  if (file) return { required: true, ...fileContent(file) };
  if (form) return { required: true, content: { 'multipart/form-data': multipart(form, schemas) } };
  if (!body) return undefined;
  const schema = schemas.of(body, 'input');
  return { required: true, content: { 'application/json': { schema, example: exampleOf(schema, schemas) } } };
}

function multipart({ fields, files }: Form, schemas: Schemas): Json {
  const texts = schemas.of(fields, 'input');
  const { properties = {}, required = [] } = schemas.resolve(texts);
  const parts = Object.entries(files);
  return {
    schema: {
      type: 'object',
      properties: {
        ...properties,
        ...Object.fromEntries(
          parts.map(([name, { description }]) => [name, { type: 'string', format: 'binary', description }]),
        ),
      },
      required: [...required, ...Object.keys(files)],
    },
    // A file has its name in the example.
    example: {
      ...(exampleOf(texts, schemas) as Json),
      ...Object.fromEntries(parts.map(([name, { kinds }]) => [name, `${name}.${kinds[0]}`])),
    },
    encoding: Object.fromEntries(
      parts.map(([name, { kinds }]) => [name, { contentType: kinds.map((kind) => mediaTypes[kind]).join(', ') }]),
    ),
  };
}
