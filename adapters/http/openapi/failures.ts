import { z } from 'zod';
import { mostFaults } from '../../../core/selling/sheet-report.ts';
import type { RouteEnvelope } from '../envelopes.ts';
import type { Appearance } from '../failure-shapes.ts';
import { Failure, type FailureReason, failures } from '../failures.ts';
import { missing } from '../fields.ts';
import type { Route } from '../route.ts';
import { pascalCase } from './names.ts';
import type { Json, Schema, Schemas } from './schema.ts';

/** The failures of a document. Each form of failures has one schema, and all responses have names. */
export interface SharedFailures {
  /** The responses, by name. */
  readonly responses: Readonly<Record<string, Json>>;
  /** Returns a reference to the response with these failures, which have the same status. */
  response(route: Route, reasons: readonly FailureReason[], headers: Json): Json;
  /** Adds the schemas of all forms to the document. Call it after all routes. */
  addSchemas(): void;
}

/** The contents of the failures of one form. */
interface Contents {
  readonly reasons: Set<FailureReason>;
  /** Whether any of them is about a file. */
  hasFile: boolean;
}

export function createSharedFailures(schemas: Schemas): SharedFailures {
  const responses: Record<string, Json> = {};
  const forms = new Map<RouteEnvelope, Contents>();
  return {
    responses,

    response(route, reasons, headers) {
      const { envelope } = route;
      const contents = forms.get(envelope) ?? { reasons: new Set(), hasFile: false };
      forms.set(envelope, contents);
      for (const reason of reasons) contents.reasons.add(reason);
      contents.hasFile ||= route.file !== undefined;
      const name = envelope.name + partOfName(route, reasons);
      const response = {
        description: listed(reasons, envelope),
        headers,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${schemaNameOf(envelope)}` },
            examples: failureExamples(reasons, envelope),
          },
        },
      };
      const known = responses[name];
      if (known && JSON.stringify(known) !== JSON.stringify(response))
        throw new Error(`Two responses are called ${name}.`);
      responses[name] = response;
      return { $ref: `#/components/responses/${name}` };
    },

    addSchemas() {
      for (const [envelope, { reasons, hasFile }] of forms) {
        schemas.named(schemaNameOf(envelope), schemaOf([...reasons], envelope, schemas, hasFile ? faultsOfFile : {}));
      }
    },
  };
}

/** Returns the schema of a response that is either a success or one of these refusals. Both have the same status. */
export function verdict(
  answer: Schema,
  refusals: readonly FailureReason[],
  envelope: RouteEnvelope,
  schemas: Schemas,
): Schema {
  const refusal = schemas.named(`${envelope.name}Invalid`, schemaOf(refusals, envelope, schemas, {}));
  return schemas.named(envelope.name, { oneOf: [answer, refusal] });
}

/** Returns the codes of failures with their messages, in Markdown. */
export function listed(reasons: readonly FailureReason[], envelope: RouteEnvelope): string {
  const lines = reasons.map((reason) => `\`${codeOf(reason, envelope)}\`: ${failures[reason].message}`);
  return lines.length === 1 ? lines.join() : lines.map((line) => `- ${line}`).join('\n');
}

/** Returns an example of each failure, by its code. */
export function failureExamples(reasons: readonly FailureReason[], envelope: RouteEnvelope): Json {
  return Object.fromEntries(
    reasons.map((reason) => {
      const failure = new Failure(reason, {
        ...(reason === 'validation_error' && { fields: { [envelope.parameter]: [missing] } }),
        figures: Object.fromEntries(Object.keys(figuresOf(reason)).map((name) => [name, 1_073_741_824])),
      });
      return [codeOf(reason, envelope), { value: envelope.bodyOf(failure) }];
    }),
  );
}

const schemaNameOf = ({ name }: RouteEnvelope) => `${name}Error`;

/** A response with many failures is only for one operation. */
function partOfName({ id }: Route, reasons: readonly FailureReason[]): string {
  return reasons.length > 2 ? `${pascalCase(id)}Refused` : reasons.map(pascalCase).join('Or');
}

const sentences = z
  .record(z.string(), z.array(z.string()))
  .optional()
  .meta({ description: 'The errors of each parameter, in sentences.' });

const faultsOfFile = {
  faults: z
    .array(z.object({ line: z.int().meta({ example: 2 }), message: z.string() }))
    .optional()
    .meta({ description: `The faults of the file, at most ${mostFaults} of them.` }),
  more_faults: z.int().optional().meta({ description: 'The number of further faults.', example: 0 }),
};

function schemaOf(
  reasons: readonly FailureReason[],
  envelope: RouteEnvelope,
  schemas: Schemas,
  more: Readonly<Record<string, z.ZodType>>,
): Schema {
  const codes = z.enum([...new Set(reasons.map((reason) => codeOf(reason, envelope)))]);
  const figures = reasons.flatMap((reason) =>
    Object.entries(figuresOf(reason)).map(([name, description]) => [name, z.int().optional().meta({ description })]),
  );
  const fields = reasons.includes('validation_error') ? sentences : undefined;
  return schemas.of(envelope.schemaOf(codes, fields, { ...Object.fromEntries(figures), ...more }), 'output');
}

function figuresOf(reason: FailureReason): Readonly<Record<string, string>> {
  const { figures = {} }: Appearance = failures[reason];
  return figures;
}

function codeOf(reason: FailureReason, envelope: RouteEnvelope): string {
  const { error } = z.object({ error: codeOrMore }).parse(envelope.bodyOf(new Failure(reason)));
  return typeof error === 'string' ? error : error.code;
}

const codeOrMore = z.union([z.string(), z.object({ code: z.string() })]);
