import type { Schema } from '../../openapi/schema.ts';
import { nameOf } from './read-document.ts';

/** A part of a type: words, or the name of a schema. */
export type TypePart = { readonly words: string } | { readonly schema: string };

/** A field of a body, with those around it in its name, such as `data[].id`. */
export interface Field {
  readonly name: string;
  readonly type: readonly TypePart[];
  readonly isRequired: boolean;
  readonly description: string;
  /** The rules for its values that the type does not say. */
  readonly limits: readonly string[];
  /** The value of a field that is left out. */
  readonly fallback: string | undefined;
}

/** Returns the fields of an object, and of the objects and lists in it. A schema with a name is not followed. */
export function fieldsOf(schema: Schema, around = ''): Field[] {
  const { properties = {}, required = [], items } = schema;
  if (items) return fieldsOf(items, `${around}[]`);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = around === '' ? name : `${around}.${name}`;
    return [fieldOf(path, property, required.includes(name)), ...fieldsOf(property, path)];
  });
}

/** Returns one field, without those in it. */
export function fieldOf(name: string, schema: Schema, isRequired: boolean): Field {
  return {
    name,
    type: typeOf(schema),
    isRequired,
    description: schema.description ?? '',
    limits: limitsOf(schema),
    fallback: 'default' in schema ? code(schema.default) : undefined,
  };
}

/** Returns the type of a schema in words and names. */
export function typeOf({ $ref, type, format, items, anyOf, oneOf, const: only, enum: values }: Schema): TypePart[] {
  if ($ref !== undefined) return [{ schema: nameOf($ref) }];
  const branches = oneOf ?? anyOf;
  if (branches) return branches.flatMap((one, n) => [...(n > 0 ? [{ words: ' or ' }] : []), ...typeOf(one)]);
  if (items)
    return [{ words: 'array of ' }, ...typeOf(items), ...(type?.includes('null') ? [{ words: ' or null' }] : [])];
  const word = Array.isArray(type) ? type.join(' or ') : (type ?? typeof (only ?? values?.[0] ?? {}));
  return [{ words: format === undefined ? String(word) : `${word} (${format})` }];
}

const bounds = {
  minimum: (n: unknown) => `at least ${n}`,
  maximum: (n: unknown) => `at most ${n}`,
  minLength: (n: unknown) => `at least ${n} ${n === 1 ? 'character' : 'characters'}`,
  maxLength: (n: unknown) => `at most ${n} characters`,
  minItems: (n: unknown) => `at least ${n} ${n === 1 ? 'item' : 'items'}`,
  maxItems: (n: unknown) => `at most ${n} items`,
};

/** Returns the rules for the values of a schema. */
export function limitsOf(schema: Schema): string[] {
  const values = 'const' in schema ? [schema.const] : (schema.enum ?? schema.items?.enum ?? []);
  return [
    ...(values.length > 0 ? [values.map(code).join(', ')] : []),
    ...Object.entries(bounds).flatMap(([name, say]) => (name in schema ? [say(schema[name])] : [])),
  ];
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}
