import type { z } from 'zod';
import type { CheckedFile } from '../../core/marketplace/checked-file.ts';
import { readJson } from './body.ts';
import { Failure } from './failures.ts';
import { createFaults } from './faults.ts';
import { givenTwice, isWithoutNul } from './fields.ts';
import type { Route } from './route.ts';
import type { Context } from './state.ts';
import type { FormReader } from './upload.ts';

/** The validated input of a request. */
export interface Input<Params, Query, Body, FileField extends string = never> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The files of the form, all of them. */
  readonly files: Readonly<Record<FileField, CheckedFile>>;
}

type Received = Awaited<ReturnType<FormReader>>;
type Expected = Pick<Route, 'params' | 'query' | 'body' | 'hasLargeBody' | 'form'>;

/** The input of a request besides its form, before validation. */
export interface Given {
  readonly params?: object;
  readonly query: object;
  readonly body?: object | undefined;
}

export async function read(expected: Expected, ctx: Context): Promise<Given> {
  refuseNul(ctx);
  return {
    params: ctx.params,
    query: { ...ctx.query },
    body: expected.body ? await readJson(ctx, expected.hasLargeBody) : undefined,
  };
}

/** Refuses paths with NUL. The databases know no text with NUL, so nothing has it as id. */
export function refuseNul({ params }: Context): void {
  if (!Object.values(params as Record<string, string>).every(isWithoutNul)) throw new Failure('not_found');
}

/** Validates the input. Throws `validation_error` with the errors of all fields. Those of fields inside of a field begin with their names. */
export function check<Params, Query, Body, FileField extends string = never>(
  { params, query, body, form }: Expected,
  given: Given,
  received?: Received,
): Input<Params, Query, Body, FileField> {
  const faults = createFaults(received?.faults);
  const parse = (schema: z.ZodType | undefined, value: object = {}): unknown => {
    if (schema === undefined) return undefined;
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const isTwice = (field: string) => schema === query && Array.isArray(Reflect.get(value, field));
    for (const { path, message } of result.error.issues) {
      // Places in lists are no names.
      const [field, ...inner] = path.filter((name) => typeof name === 'string');
      if (field === undefined) continue;
      faults.add(field, isTwice(field) ? givenTwice : [...inner, message].join(': '));
    }
    for (const field of unknownFields(result.error)) faults.set(field, ['There is no such field.']);
    return undefined;
  };
  const input = {
    params: parse(params, given.params),
    query: parse(query, given.query),
    body: form ? parse(form.fields, received?.fields) : parse(body, given.body),
    files: received?.files ?? {},
  };
  const { all } = faults;
  if (Object.keys(all).length > 0) throw new Failure('validation_error', { fields: all });
  return input as Input<Params, Query, Body, FileField>;
}

/** Returns the fields that a strict object does not have. */
function unknownFields({ issues }: z.ZodError): string[] {
  return issues.flatMap((issue) => (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : []));
}
