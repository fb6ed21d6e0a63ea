/** A JSON schema, as far as the document uses them. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** The part of the OpenAPI document from which the types are made. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];
/** The name of the option for each kind of body. */
const bodies = { 'application/json': 'body', 'text/csv': 'csv', 'multipart/form-data': 'form' };

/**
 * Returns the types of the account client, as TypeScript: for each call of the account API its `path`, `query`, body and
 * `answer`, the schemas that these name, and the codes of all failures.
 */
export function typesOf(document: ApiDocument): string {
  const { paths } = document;
  const { schemas } = document.components;
  const used = new Set<string>();
  const typeOf = (schema: Schema): string => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.replace('#/components/schemas/', '');
      used.add(name);
      return name;
    }
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return union(choices.map(typeOf));
    return union([schema.type ?? 'unknown'].flat().map((type) => typeNamed(type, schema)));
  };
  const typeNamed = (type: string, { format, items = {}, properties, required = [], additionalProperties }: Schema) => {
    if (type === 'integer') return 'number';
    if (type === 'array') return `(${typeOf(items)})[]`;
    if (type === 'string' && format === 'binary') return 'FileLike';
    if (type !== 'object') return type;
    if (properties === undefined && typeof additionalProperties === 'object') {
      return `{ [name: string]: ${typeOf(additionalProperties)} }`;
    }
    return fields(Object.entries(properties ?? {}).map(([name, one]) => field(name, required.includes(name), one)));
  };
  const field = (name: string, isRequired: boolean, schema: Schema, description = schema.description) =>
    `${comment(description)}${JSON.stringify(name)}${isRequired ? '' : '?'}: ${typeOf(schema)};`;
  const parametersIn = (place: string, { parameters = [] }: Operation) => {
    const found = parameters.filter(({ $ref, in: is }) => $ref === undefined && is === place);
    if (found.length === 0) return [];
    const all = found.map(({ name, required, schema, description }) =>
      field(name, required === true, schema, description),
    );
    return [`${place}: ${fields(all)};`];
  };
  const call = ([method, operation]: readonly [string, Operation]) => {
    const kinds = Object.entries(bodies).flatMap(([type, name]) => {
      const body = operation.requestBody?.content[type];
      return body ? [{ name, is: typeOf(body.schema) }] : [];
    });
    // A call has one body. If it may be of several kinds, none of them is needed by its type.
    const given = kinds.map(({ name, is }) => `${name}: ${kinds.length > 1 ? union([is, 'undefined']) : is};`);
    const answers = Object.entries(operation.responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content = {} }]) => Object.values(content).map(({ schema }) => typeOf(schema)));
    const parts = [...parametersIn('path', operation), ...parametersIn('query', operation), ...given];
    const about = [operation.summary, operation.description].filter(Boolean).join('. ');
    return `${comment(about)}${method}: ${fields([...parts, `answer: ${union(answers)};`])};`;
  };
  const calls = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .map(([path, item]) => {
      const own = Object.entries(item).filter(([method]) => methods.includes(method));
      return `${JSON.stringify(path)}: ${fields(own.map(call))};`;
    });
  const named: string[] = [];
  // A schema can name others. Those are added while this loop runs.
  for (const name of used) named.push(`export type ${name} = ${typeOf(schemas[name] ?? {})};\n`);
  const codes = failureCodes(document).map((code) => JSON.stringify(code));
  return [
    '// Made by the build from the OpenAPI document.\n',
    `import type { FileLike } from './types.ts';\n`,
    `/** Each call of the account API. */\nexport interface Calls ${fields(calls)}\n`,
    ...named,
    `/** The codes of all failures. */\nexport type FailureCode = ${union(codes)};\n`,
  ].join('\n');
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function fields(all: readonly string[]): string {
  return `{\n${all.join('\n').replace(/^/gm, '  ')}\n}`;
}

function comment(text: string | undefined): string {
  return text ? `/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n` : '';
}

/** The codes of the account API are in capitals. */
function failureCodes(value: unknown): string[] {
  const found = new Set<string>();
  const look = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return;
    for (const [name, inner] of Object.entries(part)) {
      if (name === 'code') for (const code of [inner?.const, ...(inner?.enum ?? [])]) found.add(String(code));
      look(inner);
    }
  };
  look(value);
  return [...found].filter((code) => /^[A-Z_]+$/.test(code)).sort();
}
