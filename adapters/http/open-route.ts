import type { IncomingMessage } from 'node:http';
import { accountEnvelope } from './envelopes.ts';
import type { FailureReason } from './failures.ts';
import { answerWith, check, type Declaration, expectAnswer, type Route, read } from './route.ts';

/** Makes a route of the account API that needs no API key. */
export function openRoute<Params, Query, Body, Answer extends object, const Reason extends FailureReason>(
  declaration: Declaration<Params, Query, Body, Answer, Reason, { readonly request: IncomingMessage }>,
): Route {
  const { handle, ...rest } = declaration;
  return {
    ...rest,
    envelope: accountEnvelope,
    needsKey: false,
    scope: null,
    async respond(ctx) {
      const input = check<Params, Query, Body>(rest, await read(rest, ctx));
      answerWith(ctx, expectAnswer(await handle({ ...input, request: ctx.req })), rest.cacheControl);
    },
  };
}
