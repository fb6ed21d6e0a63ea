import { z } from 'zod';
import {
  bodyOf,
  type Envelope,
  Failure,
  type FailureReason,
  type FieldErrors,
  failures,
  statusOf,
} from './failures.ts';
import { createSchemas, exampleOf, type Schema, type Schemas } from './openapi-schema.ts';
import type { Route } from './route.ts';
import type { Form } from './upload.ts';

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: Readonly<Record<string, Json>>;
}

/** What is documented, and the public addresses of the two surfaces. */
export interface Documented {
  readonly licenseRoutes: readonly Route[];
  readonly accountRoutes: readonly Route[];
  readonly baseUrl: string;
  readonly verifyUrl: string;
  /** Of the software. */
  readonly version: string;
}

/** Describes the two APIs from nothing but their routes and the table of failures. */
export function openApiDocument({
  licenseRoutes,
  accountRoutes,
  baseUrl,
  verifyUrl,
  version,
}: Documented): OpenApiDocument {
  const schemas = createSchemas();
  const responses: Record<string, Json> = {};
  const pathItems = (routes: readonly Route[], more: Json = {}) =>
    routes.flatMap((route) =>
      route.paths.map((path, form) => [
        templated(path),
        { ...more, [route.method]: operation(route, form, schemas, responses) },
      ]),
    );
  const paths = Object.fromEntries([
    ...pathItems(licenseRoutes, baseUrl === verifyUrl ? {} : { servers: [{ url: verifyUrl }] }),
    ...pathItems(accountRoutes),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Latchkey',
      version,
      summary: 'Licenses, templates, marketplace and deployments',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set([...licenseRoutes, ...accountRoutes].map(tagOf))].map((name) => ({
      name,
      description: tags[name] ?? '',
    })),
    paths,
    components: {
      schemas: schemas.components,
      responses,
      headers,
      parameters: { IdempotencyKey: idempotencyKey },
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'A live or test key of an account, such as `lk_sk_live_` and 32 hexadecimal digits.',
        },
      },
    },
  };
}

const introduction = `
The **license API** binds licenses to domains and checks them. It needs no key, and any site may call it from a browser.
The **account API** is under \`/api/\` and needs the header \`X-API-Key\`.

- Failures of activate, deactivate and status are \`{success: false, error, message}\`, those of verify
  \`{valid: false, error, message}\`, those of the account API \`{error: {code, message}}\`. What is wrong with single
  parameters stands in \`errors\` (account API: \`error.fields\`), by name. Go by the code: messages may change.
- An unknown address is a 404 and a wrong method a 405, in the same form. What cannot be read as an HTTP request at all is
  a 400, 408 or 431 in the form of the license API.
- More fields may be added to any answer. Ignore what you do not know.
- Send \`X-Request-Id\` to find a request again: it comes back with the answer, and stands in the server's log.
`.trim();

/** The parts of the APIs, by their tags. */
const tags: Readonly<Record<string, string>> = {
  License: 'Domain-locked licenses: what a deployed application calls. Both forms of each path do the same.',
  Account: 'Who the caller is.',
  Templates: 'Project templates. What a caller sees goes by the tier of the plan.',
  Marketplace: "The caller's own products and their files.",
  Deployments: 'Checks before a deployment, and records of finished ones.',
};

const tagOfSegment: Readonly<Record<string, string>> = { auth: 'Account', deploy: 'Deployments' };

/** License routes have one tag; routes of the account API are told apart by what follows `/api/` in their path. */
function tagOf({ envelope, paths }: Route): string {
  if (envelope !== 'account') return 'License';
  const segment = paths[0]?.split('/')[2] ?? '';
  return tagOfSegment[segment] ?? segment.charAt(0).toUpperCase() + segment.slice(1);
}

const integerHeader = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** Limits can be turned off, so nothing that tells of them is promised. */
const headers = {
  'X-RateLimit-Limit': integerHeader('Calls that the window with the least left allows.', 120),
  'X-RateLimit-Remaining': integerHeader('Calls that are left in it.', 119),
  'X-RateLimit-Reset': integerHeader('When it ends, in seconds since 1970.', 1795253460),
  'RateLimit-Policy': {
    description: 'Every window: its name, its quota `q`, and its length `w` in seconds (IETF draft).',
    schema: { type: 'string' },
    example: '"minute";q=120;w=60, "day";q=50000;w=86400',
  },
  RateLimit: {
    description: 'Every window: its name, what remains `r`, and the seconds `t` until it ends (IETF draft).',
    schema: { type: 'string' },
    example: '"minute";r=119;t=60, "day";r=49999;t=86400',
  },
  'Retry-After': integerHeader('Seconds to wait before the next attempt.', 12),
  'X-Request-Id': {
    description: 'The id of the request: the one that was sent with it, or a new one.',
    required: true,
    schema: { type: 'string' },
    example: '0a5d2c4e-51c4-4a39-8f5b-6d1f5e0a7c11',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string' },
    example: 'ApiKey realm="latchkey", header="X-API-Key"',
  },
  'Idempotency-Replayed': {
    description: 'Present where the answer is that of an earlier request with the same `Idempotency-Key`.',
    schema: { const: 'true' },
    example: 'true',
  },
} as const;

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text of your choice that names this request. The same request again within 24 hours gets the same answer and does nothing; another request with the same text is refused.',
  schema: { type: 'string', maxLength: 255 },
  example: '6f9619ff-8b86-4011-b42d-00c04fc964ff',
};

type HeaderName = keyof typeof headers;

function operation(route: Route, form: number, schemas: Schemas, shared: Record<string, Json>): Json {
  const parameters = [
    ...parametersIn('path', route.params, schemas),
    ...parametersIn('query', route.query, schemas),
    ...(route.isIdempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  const requestBody = requestBodyOf(route, schemas);
  const description = form === 0 ? route.description : `The same as \`${route.paths[0]}\`.`;
  return {
    operationId: operationId(route, form),
    summary: route.summary,
    ...(description && { description }),
    tags: [tagOf(route)],
    security: route.envelope === 'account' ? [{ apiKey: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, schemas, shared),
  };
}

/** The first path has the route's id; another form of it is named after the path. */
function operationId({ id, paths }: Route, form: number): string {
  const words = form === 0 ? id : (paths[form] ?? '').replaceAll(/[^a-z0-9]+/gi, '-');
  return words.replace(/^-+/, '').replaceAll(/-+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function templated(path: string): string {
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

function requestBodyOf({ body, form }: Route, schemas: Schemas): Json | undefined {
  if (form) return { required: true, content: { 'multipart/form-data': multipart(form, schemas) } };
  if (!body) return undefined;
  const schema = schemas.of(body, 'input');
  return { required: true, content: { 'application/json': { schema, example: exampleOf(schema, schemas) } } };
}

const mediaTypes = { zip: 'application/zip', png: 'image/png', jpg: 'image/jpeg' } as const;

function multipart({ fields, files }: Form, schemas: Schemas): Json {
  const { properties = {}, required = [] } = schemas.resolve(schemas.of(fields, 'input'));
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
    encoding: Object.fromEntries(
      parts.map(([name, { kinds }]) => [name, { contentType: kinds.map((kind) => mediaTypes[kind]).join(', ') }]),
    ),
  };
}

/** The refusals that follow from what a route takes, whatever it does. */
function standingRefusals({ envelope, params, query, body, form, isIdempotent }: Route): FailureReason[] {
  return [
    ...(body || form ? (['bad_request', 'payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(envelope === 'account' ? (['unauthorized'] as const) : []),
    ...(isIdempotent ? (['conflict'] as const) : []),
    ...(params || query || body || form ? (['validation_error'] as const) : []),
    'rate_limit_exceeded',
    'internal_error',
    'service_unavailable',
  ];
}

function responsesOf(route: Route, schemas: Schemas, shared: Record<string, Json>): Json {
  const { envelope } = route;
  const byStatus = new Map<number, FailureReason[]>([[200, []]]);
  for (const reason of [...route.refusals, ...standingRefusals(route)]) {
    const status = statusOf(reason, envelope);
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, reasons]) => {
      if (status === 200) return [status, success(route, reasons, schemas)];
      const response = refusal(status, reasons, route, schemas);
      const [reason, ...others] = reasons;
      // The example of a validation error shows a parameter of the operation at hand, so that none is like another.
      if (reason === undefined || reason === 'validation_error' || others.length > 0) return [status, response];
      const name = pascal(`${envelope}_${reason}`);
      shared[name] = response;
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function success(route: Route, refusals: readonly FailureReason[], schemas: Schemas): Json {
  const answer = schemas.of(route.answer, 'output');
  const branches = schemas.resolve(answer).oneOf ?? [answer];
  const examples = branches.map((branch) => [
    schemas.resolve(branch).title ?? 'success',
    { value: exampleOf(branch, schemas) },
  ]);
  const failure = refusals.length > 0 ? [refusalSchema(refusals, route.envelope, schemas)] : [];
  return {
    description: ['Done.', ...(refusals.length > 0 ? ['Or the reason why not:', listed(refusals, route)] : [])].join(
      '\n\n',
    ),
    headers: headersOf(200, route.isIdempotent ? ['Idempotency-Replayed'] : []),
    content: {
      'application/json': {
        schema: failure.length > 0 ? { oneOf: [answer, ...failure] } : answer,
        examples: { ...Object.fromEntries(examples), ...refusalExamples(refusals, route, schemas) },
      },
    },
  };
}

function refusal(status: number, reasons: readonly FailureReason[], route: Route, schemas: Schemas): Json {
  return {
    description: listed(reasons, route),
    headers: headersOf(status, []),
    content: {
      'application/json': {
        schema: refusalSchema(reasons, route.envelope, schemas),
        examples: refusalExamples(reasons, route, schemas),
      },
    },
  };
}

function listed(reasons: readonly FailureReason[], { envelope }: Route): string {
  const lines = reasons.map((reason) => `\`${codeOf(reason, envelope)}\`: ${failures[reason].message}`);
  return lines.length === 1 ? lines.join() : lines.map((line) => `- ${line}`).join('\n');
}

const everywhere = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'X-Request-Id',
] as const satisfies HeaderName[];

function headersOf(status: number, more: readonly HeaderName[]): Json {
  const names: HeaderName[] = [...everywhere, ...more];
  if (status === 401) names.push('WWW-Authenticate');
  if (status === 429 || status === 503) names.push('Retry-After');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const sentences = z.record(z.string(), z.array(z.string())).meta({
  id: 'FieldErrors',
  description: 'What is wrong with each parameter, in sentences.',
});

/** The bodies that `bodyOf` makes, with one of some codes. */
const envelopes = {
  license: (error, fields) =>
    z.object({ success: z.literal(false), error, message: z.string(), ...(fields && { errors: fields }) }),
  verify: (error, fields) =>
    z.object({ valid: z.literal(false), error, message: z.string(), ...(fields && { errors: fields }) }),
  account: (code, fields) => z.object({ error: z.object({ code, message: z.string(), ...(fields && { fields }) }) }),
} satisfies Record<Envelope, (code: z.ZodType, fields: z.ZodType | undefined) => z.ZodType>;

function refusalSchema(reasons: readonly FailureReason[], envelope: Envelope, schemas: Schemas): Schema {
  const codes = z.enum(reasons.map((reason) => codeOf(reason, envelope)));
  const fields = reasons.includes('validation_error') ? sentences.optional() : undefined;
  return schemas.of(envelopes[envelope](codes, fields), 'output');
}

function codeOf(reason: FailureReason, envelope: Envelope): string {
  const { error } = z.object({ error: codeOrMore }).parse(bodyOf(new Failure(reason), envelope));
  return typeof error === 'string' ? error : error.code;
}

const codeOrMore = z.union([z.string(), z.object({ code: z.string() })]);

function refusalExamples(reasons: readonly FailureReason[], route: Route, schemas: Schemas): Json {
  const { envelope } = route;
  return Object.fromEntries(
    reasons.map((reason) => {
      const failure = new Failure(reason, reason === 'validation_error' ? { fields: sampleFault(route, schemas) } : {});
      return [codeOf(reason, envelope), { value: bodyOf(failure, envelope) }];
    }),
  );
}

function sampleFault({ params, query, body, form }: Route, schemas: Schemas): FieldErrors {
  const inputs = [params, query, body, form?.fields].flatMap((schema) => (schema ? [schemas.of(schema, 'input')] : []));
  const names = inputs.flatMap((schema) => Object.keys(schemas.resolve(schema).properties ?? {}));
  const [name = 'file'] = [...names, ...Object.keys(form?.files ?? {})];
  return { [name]: [params || query ? 'It must be one text.' : 'It is required.'] };
}

function pascal(words: string): string {
  return words.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
