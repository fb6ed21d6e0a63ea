import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Abort } from '../../core/abort.ts';
import type { KeyCaller } from '../../core/accounts/api-keys.ts';
import { lacking, type Scope } from '../../core/accounts/scope.ts';
import type { KeyedRequest } from '../../core/events/event.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { clientGone } from './client-gone.ts';
import { accountEnvelope, type RouteEnvelope } from './envelopes.ts';
import { Failure, type FailureReason, type SentAs, sentToAccount } from './failures.ts';
import type { Idempotency } from './idempotency.ts';
import { check, type Input, read, refuseNul } from './input.ts';
import type { Context, State } from './state.ts';
import type { Endpoint } from './surface.ts';
import type { Form, FormReader } from './upload.ts';

/**
 * An endpoint, declared once: its input, its answer and its refusals. Validation, routing and documentation use this
 * declaration.
 */
export interface Route extends Endpoint {
  readonly summary: string;
  readonly description?: string;
  /** Its section in the documentation. */
  readonly tag: Tag;
  readonly envelope: RouteEnvelope;
  /** Whether it requires an API key. */
  readonly needsKey: boolean;
  /** The scope that the API key needs. `null` means that any key may call it. */
  readonly scope?: Scope | null;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** A JSON body. */
  readonly body?: z.ZodType;
  /** Whether the JSON body may be larger than usual, because it can contain a long text. */
  readonly hasLargeBody?: boolean;
  /** A `multipart/form-data` body, instead of a JSON body. */
  readonly form?: Form;
  /** A body that is one file, instead of a JSON body. */
  readonly file?: FileText;
  readonly answer: z.ZodType;
  /** A success is this file, and no JSON. */
  readonly answerFile?: FileText;
  readonly refusals: readonly FailureReason[];
  /** Whether it supports `Idempotency-Key`. */
  readonly isIdempotent?: boolean;
}

/** A text file that is sent as it is. */
export interface FileText {
  readonly mediaType: string;
  readonly description: string;
  readonly example: string;
  /** Other bodies that the call also takes, and when. Without a schema, any content. */
  readonly otherwise?: readonly { readonly mediaType: string; readonly schema?: object; readonly example?: object }[];
}

/** A section of the documentation. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

export type Declaration<
  Params,
  Query,
  Body,
  Answer,
  Reason extends FailureReason,
  More,
  FileField extends string = never,
  Refusal extends string = Reason,
> = Omit<Route, 'respond' | 'answerQuery' | 'refusals' | 'envelope' | 'needsKey' | 'scope'> & {
  readonly params?: z.ZodType<Params>;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  readonly form?: Form<FileField> & { readonly fields: z.ZodType<Body> };
  readonly answer: z.ZodType<Answer>;
  readonly refusals: readonly Reason[];
  handle(input: Input<Params, Query, Body, FileField> & More): Promise<Answer | Refused<NoInfer<Refusal>>>;
};

/** Makes a route of the license API. */
export function licenseRoute<
  Params,
  Query,
  Body,
  Answer extends object,
  const Reason extends FailureReason,
  const Id extends string,
>(
  declaration: Declaration<Params, Query, Body, Answer, Reason, unknown> & {
    readonly id: Id;
    readonly envelope: RouteEnvelope;
  },
): Route & { readonly id: Id } {
  const { handle, ...rest } = declaration;
  return {
    ...rest,
    needsKey: false,
    respond: respondWith(rest, (given) => handle(check<Params, Query, Body>(rest, given))),
    ...(rest.query !== undefined &&
      rest.params === undefined &&
      rest.body === undefined && {
        async answerQuery(query, state) {
          noteLicense(state, query);
          return expectAnswer(await handle(check<Params, Query, Body>(rest, { query })));
        },
      }),
  };
}

/** Returns the `respond` of a route of the license API. `answer` gets what the request contains. */
export function respondWith(
  route: Pick<Route, 'params' | 'query' | 'body' | 'hasLargeBody' | 'cacheControl'>,
  answer: (given: Awaited<ReturnType<typeof read>>, ctx: Context) => Promise<object | Refused<FailureReason>>,
): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const given = await read(route, ctx);
    noteLicense(ctx.state, route.query ? given.query : given.body);
    answerWith(ctx, expectAnswer(await answer(given, ctx)), route.cacheControl);
  };
}

/** The refusals of core that a route of the account API may return if it declares these failures. */
export type AccountRefusal<Reason extends FailureReason> = SentAs<
  Reason | 'forbidden' | 'validation_error' | 'rate_limit_exceeded'
>;

/** Dependencies of the routes of the account API. */
export interface AccountTools {
  readonly readForm: FormReader;
  readonly idempotency: Idempotency;
}

/** `gone()` aborts when the client has closed the connection. */
type FromKey = { readonly caller: KeyCaller; readonly gone: () => Abort };

/** Makes a route of the account API. It requires a valid API key with its scope. */
export function accountRoute<
  Params,
  Query,
  Body,
  Answer extends object,
  const Reason extends FailureReason,
  FileField extends string = never,
  const Fault extends SentAs<FailureReason> = never,
>(
  tools: AccountTools,
  declaration: Declaration<Params, Query, Body, Answer, Reason, FromKey, FileField, AccountRefusal<Reason> | Fault> & {
    readonly scope: Scope | null;
    /** The parameters that refusals are about in this call only. */
    readonly faults?: Readonly<Record<Fault, string>>;
    /** Completes the answer with what must not be stored for repeated requests, such as a secret. */
    complete?(answer: Answer): Answer;
    /**
     * Refuses a form before it is read if its files do not fit into the account's storage. `bytes` is their minimum
     * total size. `params` are the texts in the path.
     */
    room?(
      caller: KeyCaller,
      bytes: number,
      params: Readonly<Record<string, string>>,
    ): Promise<undefined | Refused<NoInfer<AccountRefusal<Reason>>>>;
  },
): Route {
  const { handle, room, complete = (answer) => answer, faults, ...rest } = declaration;
  return {
    ...rest,
    envelope: accountEnvelope,
    needsKey: true,
    async respond(ctx) {
      const caller = callerOf(ctx, rest.scope);
      refuseNul(ctx);
      const admit = async (bytes: number) => {
        // A repeated request gets its earlier answer, even if its files would not fit now.
        const refused = ctx.get('Idempotency-Key') === '' ? await room?.(caller, bytes, ctx.params) : undefined;
        if (refused) throw failureOf(sentToAccount(refused), { Connection: 'close' });
      };
      const received = rest.form && (await tools.readForm(ctx, rest.form, admit));
      try {
        const input = check<Params, Query, Body, FileField>(rest, await read(rest, ctx), received);
        const work = async (request?: KeyedRequest) => {
          const from = { caller: { ...caller, request }, gone: () => clientGone(ctx.req.socket) };
          const answer = await handle({ ...input, ...from });
          return isRefused(answer) ? sentToAccount(answer, faults) : answer;
        };
        const answer = rest.isIdempotent
          ? await tools.idempotency(ctx, caller, rest.id, { ...input, files: received?.digests }, work)
          : await work();
        answerWith(ctx, complete(expectAnswer(answer)), rest.cacheControl);
      } finally {
        await received?.discard();
      }
    },
  };
}

type FileRoute<Query> = Omit<Route, 'respond' | 'answerQuery' | 'envelope' | 'needsKey' | 'query' | 'scope'> & {
  readonly scope: Scope | null;
  readonly query?: z.ZodType<Query>;
  /** Sends the answer itself. */
  send(ctx: Context, input: { readonly query: Query; readonly caller: KeyCaller }): Promise<void>;
};

/** Makes a route of the account API that receives or sends a file in its own way. */
export function fileRoute<Query>({ send, ...rest }: FileRoute<Query>): Route {
  return {
    ...rest,
    envelope: accountEnvelope,
    needsKey: true,
    async respond(ctx) {
      const caller = callerOf(ctx, rest.scope);
      const { query } = check<undefined, Query, undefined>(rest, { query: { ...ctx.query } });
      await send(ctx, { query, caller });
    },
  };
}

function callerOf({ state: { caller } }: Context, scope: Scope | null): KeyCaller {
  if (caller === undefined) throw unauthorized();
  const forbidden = scope && lacking(caller.scopes, scope);
  if (forbidden) throw failureOf(forbidden);
  return caller;
}

function unauthorized(): Failure {
  return new Failure('unauthorized', {
    headers: { 'WWW-Authenticate': 'ApiKey realm="latchkey", header="X-API-Key"' },
  });
}

/** Returns what the use case returns as an answer, or its refusal. */
export async function rendered<Value, Reason extends string, Answer>(
  found: Promise<Value | Refused<Reason>>,
  render: (value: Value) => Answer,
): Promise<Answer | Refused<Reason>> {
  const value = await found;
  return isRefused(value) ? value : render(value);
}

export function expectAnswer<Answer extends object>(answer: Answer | Refused<FailureReason>): Answer {
  if (isRefused(answer)) throw failureOf(answer);
  return answer;
}

function failureOf({ reason, detail, figures }: Refused<FailureReason>, headers: Record<string, string> = {}): Failure {
  return new Failure(reason, { detail, figures, headers });
}

function answerWith(ctx: Context, answer: object, cacheControl: string | undefined): void {
  if (cacheControl !== undefined) ctx.set('Cache-Control', cacheControl);
  ctx.body = answer;
}

/**
 * Notes the license key for the log. This happens before validation, so that the log also names it for invalid
 * requests.
 */
function noteLicense(state: State, parameters: object = {}): void {
  if ('license_key' in parameters && typeof parameters.license_key === 'string') {
    state.licenseKey = parameters.license_key;
  }
}

/** Makes a route of the account API that needs no API key. */
export function openRoute<Params, Query, Body, Answer extends object, const Reason extends FailureReason>(
  declaration: Declaration<
    Params,
    Query,
    Body,
    Answer,
    Reason,
    { readonly request: IncomingMessage },
    never,
    AccountRefusal<Reason>
  >,
): Route {
  const { handle, ...rest } = declaration;
  return {
    ...rest,
    envelope: accountEnvelope,
    needsKey: false,
    scope: null,
    async respond(ctx) {
      const input = check<Params, Query, Body>(rest, await read(rest, ctx));
      const answer = await handle({ ...input, request: ctx.req });
      answerWith(ctx, expectAnswer(isRefused(answer) ? sentToAccount(answer) : answer), rest.cacheControl);
    },
  };
}
