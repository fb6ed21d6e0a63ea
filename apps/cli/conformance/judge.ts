import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Expected, shapes } from './kit.ts';

/** The server's answer, as reports show it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body, or its text if it is no JSON. */
  readonly body: unknown;
}

const ajv = new Ajv2020({ allErrors: true });

/** Returns what is wrong with an answer, one sentence for each fault. `before` has the bodies of the answers to earlier steps. */
export function faultsOf(answer: Answer, expected: Expected, before: readonly unknown[]): string[] {
  const { status, schema, contains, headers = {}, grew = {} } = expected;
  const faults: string[] = [];
  if (answer.status !== status) faults.push(`The status is ${answer.status}, not ${status}.`);
  for (const [name, pattern] of Object.entries(headers)) {
    const value = answer.headers[name];
    if (value === undefined) faults.push(`The header ${name} is missing.`);
    else if (!new RegExp(pattern, 'i').test(value))
      faults.push(`The header ${name} is ${value}, which does not match ${pattern}.`);
  }
  if (schema !== undefined) faults.push(...ofBody(answer.body, shapes[schema] ?? {}));
  if (contains !== undefined) faults.push(...ofBody(answer.body, schemaOf(contains)));
  for (const [place, { since, by }] of Object.entries(grew)) {
    const [earlier, now] = [before[since - 1], answer.body].map((body) => Number(at(body, place)));
    if (now !== (earlier ?? Number.NaN) + by)
      faults.push(`${place} is ${now}. It was ${earlier} in the answer to step ${since}, and must be ${by} more.`);
  }
  return [...new Set(faults)];
}

function ofBody(body: unknown, schema: object): string[] {
  if (ajv.validate(schema, body)) return [];
  return (ajv.errors ?? [])
    .filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if')
    .map(({ instancePath, message, params }) => {
      const value = 'allowedValue' in params ? ` ${JSON.stringify(params.allowedValue)}` : '';
      return `${instancePath || 'The body'} ${message}${value}.`;
    });
}

/** A schema of all values that contain the given one: objects may have more fields. */
function schemaOf(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { const: value };
  const properties = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, schemaOf(one)]));
  return { type: 'object', required: Object.keys(value), properties };
}

/** The value at a JSON pointer. */
function at(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce((value: unknown, name) => (value as Readonly<Record<string, unknown>> | null)?.[name], body);
}
