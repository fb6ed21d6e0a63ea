import { z } from 'zod';

/** A part of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** A JSON Schema (2020-12), as the document shows it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

/** The schemas of a document. Schemas with an `id` become components, and are referred to wherever they are used. */
export interface Schemas {
  readonly components: Readonly<Record<string, Schema>>;
  /**
   * Returns the JSON Schema for the input or the output of a schema. Throws if two different schemas have the same id.
   */
  of(schema: z.ZodType, side: 'input' | 'output'): Schema;
  /** Makes a schema a component, and returns a reference to it. Throws if a different one has this name. */
  named(name: string, schema: Schema): Schema;
  /** Returns the schema that a reference points to. Throws if it is unknown. */
  resolve(schema: Schema): Schema;
}

const componentFolder = '#/components/schemas/';

export function createSchemas(): Schemas {
  const components: Record<string, Schema> = {};
  const named = (name: string, schema: Schema) => {
    const known = components[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas are called ${name}.`);
    components[name] = schema;
    return { $ref: componentFolder + name };
  };
  return {
    components,
    named,

    of(schema, side) {
      const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: side });
      for (const [id, definition] of Object.entries($defs)) named(id, tidy(definition));
      return tidy(root);
    },

    resolve(schema) {
      const found = schema.$ref === undefined ? schema : components[schema.$ref.slice(componentFolder.length)];
      if (found === undefined) throw new Error(`There is no schema ${schema.$ref}.`);
      return found;
    },
  };
}

/** Returns the example of a schema, or makes one from its parts. Throws if a text in it has none: made-up texts help nobody. */
export function exampleOf(schema: Schema, schemas: Schemas): unknown {
  const { examples, properties, items, anyOf, oneOf, type, format, ...rest } = schemas.resolve(schema);
  const [first = type] = Array.isArray(type) ? type : [];
  const [branch] = oneOf ?? anyOf ?? [];
  if (examples?.[0] !== undefined) return examples[0];
  if ('const' in rest) return rest.const;
  if (rest.enum) return rest.enum[0];
  if (branch) return exampleOf(branch, schemas);
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, exampleOf(property, schemas)]),
    );
  }
  if (items) return [exampleOf(items, schemas)];
  if (first === 'string') throw new Error(`This text has no example: ${JSON.stringify(schema)}`);
  return { integer: 1, number: 1, boolean: true, array: [], object: {} }[String(first)] ?? null;
}

type Generated = z.core.JSONSchema.JSONSchema;

/**
 * Makes a generated schema easier to read. Objects stay open, because answers may gain fields. Removes the bounds of
 * safe integers and the pattern of ISO 8601, because `integer` and `date-time` are clear enough.
 */
function tidy(generated: Generated): Schema {
  const { $schema, $ref, type, example, properties, items, anyOf, oneOf, allOf, additionalProperties, ...rest } =
    generated;
  const { propertyNames, minimum, maximum, pattern, ...same } = rest;
  return joined({
    ...($ref !== undefined && { $ref: $ref.replace('#/$defs/', componentFolder) }),
    ...(type !== undefined && { type }),
    ...same,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(pattern !== undefined && same.format === undefined && { pattern }),
    ...(example !== undefined && { examples: [example] }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(tidyEntry)) }),
    ...(isSchema(items) && { items: tidy(items) }),
    ...(isSchema(additionalProperties) && { additionalProperties: tidy(additionalProperties) }),
    ...(anyOf && { anyOf: anyOf.map(tidy) }),
    ...(oneOf && { oneOf: oneOf.map(tidy) }),
    ...(allOf && { allOf: allOf.map(tidy) }),
  });
}

function tidyEntry([name, schema]: [string, Generated | boolean]): [string, Schema] {
  return [name, isSchema(schema) ? tidy(schema) : {}];
}

function isSchema(schema: unknown): schema is Generated {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}

/** Turns an `anyOf` of plain types into one schema with a list of types. One of the types may have more keywords. */
function joined({ anyOf, ...schema }: Schema): Schema {
  if (anyOf === undefined) return schema;
  const saying = anyOf.filter((branch) => Object.keys(branch).some((keyword) => keyword !== 'type'));
  const types = anyOf.flatMap(({ type }) => type ?? []);
  const isPlain =
    saying.length <= 1 && types.length >= anyOf.length && !saying.some((one) => 'enum' in one || 'const' in one);
  return isPlain ? { ...saying[0], ...schema, type: types } : { ...schema, anyOf };
}
