import type { IncomingMessage } from 'node:http';
import type { RouteEnvelope } from '../envelopes.ts';
import type { FailureReason } from '../failures.ts';
import { check, read } from '../input.ts';
import { answerWith, type Declaration, expectAnswer, noteLicense, type Route } from '../route.ts';

/** Makes a route of the license API that changes something. `request` says where the call comes from. */
export function licenseChange<Body, Answer extends object, const Reason extends FailureReason, const Id extends string>(
  declaration: Declaration<undefined, undefined, Body, Answer, Reason, { readonly request: IncomingMessage }> & {
    readonly id: Id;
    readonly envelope: RouteEnvelope;
  },
): Route & { readonly id: Id } {
  const { handle, ...rest } = declaration;
  return {
    ...rest,
    needsKey: false,
    async respond(ctx) {
      const given = await read(rest, ctx);
      noteLicense(ctx.state, given.body);
      const input = check<undefined, undefined, Body>(rest, given);
      answerWith(ctx, expectAnswer(await handle({ ...input, request: ctx.req })), rest.cacheControl);
    },
  };
}
