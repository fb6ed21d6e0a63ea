import type { FailureReason } from '../failures.ts';
import type { FileText, Route } from '../route.ts';
import { failureExamples, listed, type SharedFailures, verdict } from './failures.ts';
import { exampleOf, type Json, type Schemas } from './schema.ts';

/** Returns all responses of a route, by status. Those of failures are shared by all routes. */
export function responsesOf(route: Route, schemas: Schemas, shared: SharedFailures): Json {
  const { envelope } = route;
  const byStatus = new Map<number, FailureReason[]>([[200, []]]);
  for (const reason of new Set([...route.refusals, ...standingRefusals(route)])) {
    const status = envelope.statusOf(reason);
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, reasons]) => [
      status,
      status === 200 ? success(route, reasons, schemas) : shared.response(route, reasons, headersOf(status, [])),
    ]),
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
export function fileContent({ mediaType, description, example, otherwise = [] }: FileText): Json {
  return {
    description,
    content: {
      [mediaType]: { schema: { type: 'string' }, example },
      ...Object.fromEntries(otherwise.map(({ mediaType: type, schema = {}, ...more }) => [type, { schema, ...more }])),
    },
  };
}

function success(route: Route, refusals: readonly FailureReason[], schemas: Schemas): Json {
  if (route.answerFile) return { ...fileContent(route.answerFile), headers: headersOf(200, []) };
  const { envelope } = route;
  const answer = schemas.of(route.answer, 'output');
  const branches = schemas.resolve(answer).oneOf ?? [answer];
  const examples = branches.map((branch) => [
    schemas.resolve(branch).title ?? 'success',
    { value: exampleOf(branch, schemas) },
  ]);
  return {
    description: ['Success.', ...(refusals.length > 0 ? ['Or a refusal:', listed(refusals, envelope)] : [])].join(
      '\n\n',
    ),
    headers: headersOf(200, route.isIdempotent ? ['Idempotency-Replayed'] : []),
    content: {
      'application/json': {
        schema: refusals.length > 0 ? verdict(answer, refusals, envelope, schemas) : answer,
        examples: { ...Object.fromEntries(examples), ...failureExamples(refusals, envelope) },
      },
    },
  };
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
  'Retry-After': integerHeader(
    'Seconds to wait before the next attempt. With 409 only if the conflict ends by itself.',
    12,
  ),
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
  if (status === 409 || status === 429 || status === 503) names.push('Retry-After');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
