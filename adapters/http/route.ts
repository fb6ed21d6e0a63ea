import { z } from 'zod';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { readJson } from './body.ts';
import { type Envelope, Failure, type FailureReason, type FieldErrors } from './failures.ts';
import type { Context } from './state.ts';

/** An endpoint, declared once: what it takes, answers and refuses. Validation, routing and documentation come from here. */
export interface Route {
  readonly id: string;
  readonly summary: string;
  readonly method: 'get' | 'post';
  readonly paths: readonly string[];
  readonly envelope: Envelope;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  readonly refusals: readonly FailureReason[];
  /** Of the success; everything else is `no-store`. */
  readonly cacheControl?: string;
  respond(ctx: Context): Promise<void>;
}

type Declaration<Query, Body, Answer, Reason extends FailureReason> = Omit<Route, 'respond' | 'refusals'> & {
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  readonly answer: z.ZodType<Answer>;
  readonly refusals: readonly Reason[];
  handle(input: { query: Query; body: Body }): Promise<Answer | Refused<Reason>>;
};

/** Makes a route of its declaration. */
export function route<Query, Body, Answer extends object, const Reason extends FailureReason>(
  declaration: Declaration<Query, Body, Answer, Reason>,
): Route {
  const { query, body, handle, cacheControl } = declaration;
  return {
    ...declaration,
    async respond(ctx) {
      const input = {
        query: query && parse(query, { ...ctx.query }, ctx),
        body: body && parse(body, await readJson(ctx), ctx),
      };
      const answer = await handle(input as { query: Query; body: Body });
      if (isRefused(answer)) throw new Failure(answer.reason, { detail: answer.detail });
      if (cacheControl !== undefined) ctx.set('Cache-Control', cacheControl);
      ctx.body = answer;
    },
  };
}

function parse<T>(schema: z.ZodType<T>, input: object, ctx: Context): T {
  if ('license_key' in input && typeof input.license_key === 'string') ctx.state.licenseKey = input.license_key;
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const { fieldErrors } = z.flattenError(result.error);
  throw new Failure('validation_error', { fields: fieldErrors as FieldErrors });
}
