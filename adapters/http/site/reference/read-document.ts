import { z } from 'zod';
import type { OpenApiDocument } from '../../openapi/document.ts';
import type { Schema } from '../../openapi/schema.ts';

const anySchema = z.custom<Schema>((value) => typeof value === 'object' && value !== null);

const examples = z.record(z.string(), z.object({ value: z.unknown() })).default({});

const contents = z
  .record(z.string(), z.object({ schema: anySchema, example: z.unknown().optional(), examples }))
  .default({})
  .transform((types) =>
    Object.entries(types).map(([type, { schema, example, examples }]) => ({
      type,
      schema,
      examples: [
        ...(example === undefined ? [] : [{ name: undefined, value: example }]),
        ...Object.entries(examples).map(([name, { value }]) => ({ name, value })),
      ],
    })),
  );

const parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean(),
  description: z.string().default(''),
  schema: anySchema,
  example: z.unknown().optional(),
});

const response = z.object({ description: z.string(), content: contents });

const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().default(''),
  tags: z.array(z.string()),
  security: z.array(z.unknown()),
  parameters: z.array(z.union([parameter, z.object({ $ref: z.string() })])).default([]),
  requestBody: z.object({ content: contents }).optional(),
  responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), response])),
});

/** The parts of a document that the page shows: all but the headers of responses. */
const shape = z.object({
  info: z.object({ description: z.string(), version: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string().default('') })),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  webhooks: z.record(z.string(), z.object({ post: operation })),
  components: z.object({
    schemas: z.record(z.string(), anySchema),
    responses: z.record(z.string(), response),
    parameters: z.record(z.string(), parameter),
    headers: z.record(z.string(), z.object({ description: z.string(), schema: anySchema })),
    securitySchemes: z.object({ apiKey: z.object({ description: z.string() }) }),
  }),
});

const methods = ['get', 'post', 'patch', 'put', 'delete'] as const;

export type Content = z.output<typeof contents>[number];
export type Parameter = z.output<typeof parameter>;
export type Response = z.output<typeof response>;

/** A call, or an event that the service sends. */
export interface Operation extends Omit<z.output<typeof operation>, 'parameters'> {
  readonly method: string;
  /** The path of a call, with `{name}` for its variable parts, or the name of an event. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

/** The parts of a document, by their kinds. */
export interface Reference extends Pick<z.output<typeof shape>, 'info' | 'tags' | 'components'> {
  readonly operations: readonly Operation[];
  readonly events: readonly Operation[];
}

/** Reads the OpenAPI document, and resolves its references to parameters. Throws if it is not as we make it. */
export function readDocument(document: OpenApiDocument): Reference {
  const { paths, webhooks, ...rest } = shape.parse(document);
  const resolved = (method: string, path: string, { parameters, ...one }: z.output<typeof operation>): Operation => ({
    ...one,
    method,
    path,
    parameters: parameters.flatMap((each) =>
      '$ref' in each ? (rest.components.parameters[nameOf(each.$ref)] ?? []) : [each],
    ),
  });
  return {
    ...rest,
    operations: Object.entries(paths).flatMap(([path, item]) =>
      methods.flatMap((method) =>
        item[method] === undefined ? [] : [resolved(method, path, operation.parse(item[method]))],
      ),
    ),
    events: Object.entries(webhooks).map(([name, { post }]) => resolved('event', name, post)),
  };
}

/** Returns the name in a reference, such as `License` in `#/components/schemas/License`. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
