import { z } from 'zod';
import { mostFaults } from '../../../core/selling/sheet-import.ts';
import type { Envelope } from '../envelopes.ts';
import { type Appearance, Failure, type FailureReason, type FieldErrors, failures } from '../failures.ts';
import { missing, notOneText } from '../fields.ts';
import type { FileText, Route } from '../route.ts';
import { exampleOf, type Json, type Schema, type Schemas } from './schema.ts';

/** Returns all responses of a route, by status. Adds those that other routes may share to `shared`, by name. */
export function responsesOf(route: Route, schemas: Schemas, shared: Record<string, Json>): Json {
  const { envelope } = route;
  const byStatus = new Map<number, FailureReason[]>([[200, []]]);
  for (const reason of new Set([...route.refusals, ...standingRefusals(route)])) {
    const status = envelope.statusOf(reason);
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, reasons]) => {
      if (status === 200) return [status, success(route, reasons, schemas)];
      const response = refusal(status, reasons, route, schemas);
      const [reason, ...others] = reasons;
      // The example of a validation error names a parameter of its operation, so it cannot be shared.
      if (reason === undefined || reason === 'validation_error' || others.length > 0) return [status, response];
      const name = pascal(`${envelope.name}_${reason}`);
      shared[name] = response;
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** Returns the refusals that any route with the same kinds of input can have. */
function standingRefusals({ needsKey, scope, params, query, body, form, file, isIdempotent }: Route): FailureReason[] {
  return [
    ...(body || form || file ? (['bad_request', 'payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(body ? (['request_timeout'] as const) : []),
    ...(needsKey ? (['unauthorized'] as const) : []),
    ...(scope ? (['forbidden'] as const) : []),
    ...(isIdempotent ? (['conflict'] as const) : []),
    ...(params || query || body || form || file ? (['validation_error'] as const) : []),
    'rate_limit_exceeded',
    'internal_error',
    'service_unavailable',
  ];
}

/** The description and content of a file. */
export function fileContent({ mediaType, description, example }: FileText): Json {
  return { description, content: { [mediaType]: { schema: { type: 'string' }, example } } };
}

function success(route: Route, refusals: readonly FailureReason[], schemas: Schemas): Json {
  if (route.answerFile) return { ...fileContent(route.answerFile), headers: headersOf(200, []) };
  const answer = schemas.of(route.answer, 'output');
  const branches = schemas.resolve(answer).oneOf ?? [answer];
  const examples = branches.map((branch) => [
    schemas.resolve(branch).title ?? 'success',
    { value: exampleOf(branch, schemas) },
  ]);
  const failure = refusals.length > 0 ? [refusalSchema(refusals, route, schemas)] : [];
  return {
    description: ['Success.', ...(refusals.length > 0 ? ['Or a refusal:', listed(refusals, route)] : [])].join('\n\n'),
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
        schema: refusalSchema(reasons, route, schemas),
        examples: refusalExamples(reasons, route, schemas),
      },
    },
  };
}

function listed(reasons: readonly FailureReason[], { envelope }: Route): string {
  const lines = reasons.map((reason) => `\`${codeOf(reason, envelope)}\`: ${failures[reason].message}`);
  return lines.length === 1 ? lines.join() : lines.map((line) => `- ${line}`).join('\n');
}

const integerHeader = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** The headers of responses. Rate limits can be turned off, so their headers are not required. */
export const headers = {
  'X-RateLimit-Limit': integerHeader('Calls that are allowed in the window with the fewest calls left.', 120),
  'X-RateLimit-Remaining': integerHeader('Calls that are left in that window.', 119),
  'X-RateLimit-Reset': integerHeader('When that window ends, in seconds since 1970.', 1795253460),
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
    description: 'Present if this is the response to an earlier request with the same `Idempotency-Key`.',
    schema: { const: 'true' },
    example: 'true',
  },
} as const;

type HeaderName = keyof typeof headers;

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
  description: 'The errors of each parameter, in sentences.',
});

/** The schemas of the numbers in the bodies of these failures. */
function figuresOf(reasons: readonly FailureReason[]): Record<string, z.ZodType> {
  const figures = reasons.flatMap((reason) => Object.entries(meaningsOf(reason)));
  return Object.fromEntries(
    figures.map(([name, description]) => {
      const figure = z.int().meta({ description });
      return [name, reasons.length === 1 ? figure : figure.optional()];
    }),
  );
}

function meaningsOf(reason: FailureReason): Readonly<Record<string, string>> {
  const { figures = {} }: Appearance = failures[reason];
  return figures;
}

function refusalSchema(reasons: readonly FailureReason[], { envelope, file }: Route, schemas: Schemas): Schema {
  const codes = z.enum(reasons.map((reason) => codeOf(reason, envelope)));
  const fields = reasons.includes('validation_error') ? sentences.optional() : undefined;
  const ofFile = file && reasons.includes('validation_error') ? faultsOfFile : {};
  return schemas.of(envelope.schemaOf(codes, fields, { ...figuresOf(reasons), ...ofFile }), 'output');
}

const faultsOfFile = {
  faults: z
    .array(z.object({ line: z.int().meta({ example: 2 }), message: z.string() }))
    .optional()
    .meta({ description: `The faults of the file, at most ${mostFaults} of them.` }),
  more_faults: z.int().optional().meta({ description: 'The number of further faults.', example: 0 }),
};

function codeOf(reason: FailureReason, envelope: Envelope): string {
  const { error } = z.object({ error: codeOrMore }).parse(envelope.bodyOf(new Failure(reason)));
  return typeof error === 'string' ? error : error.code;
}

const codeOrMore = z.union([z.string(), z.object({ code: z.string() })]);

function refusalExamples(reasons: readonly FailureReason[], route: Route, schemas: Schemas): Json {
  const { envelope } = route;
  return Object.fromEntries(
    reasons.map((reason) => {
      const failure = new Failure(reason, {
        ...(reason === 'validation_error' && { fields: sampleFault(route, schemas) }),
        figures: Object.fromEntries(Object.keys(meaningsOf(reason)).map((name) => [name, 1_073_741_824])),
      });
      return [codeOf(reason, envelope), { value: envelope.bodyOf(failure) }];
    }),
  );
}

function sampleFault({ params, query, body, form }: Route, schemas: Schemas): FieldErrors {
  const inputs = [params, query, body, form?.fields].flatMap((schema) => (schema ? [schemas.of(schema, 'input')] : []));
  const names = inputs.flatMap((schema) => Object.keys(schemas.resolve(schema).properties ?? {}));
  const [name = 'file'] = [...names, ...Object.keys(form?.files ?? {})];
  return { [name]: [params || query ? notOneText : missing] };
}

function pascal(words: string): string {
  return words.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
