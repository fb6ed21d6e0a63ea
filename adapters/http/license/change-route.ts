import type { IncomingMessage } from 'node:http';
import { isRefused } from '../../../core/refusal.ts';
import type { RouteEnvelope } from '../envelopes.ts';
import { type FailureReason, forNow } from '../failures.ts';
import { check } from '../input.ts';
import { type Declaration, type Route, respondWith } from '../route.ts';

/**
 * Makes a route of the license API that changes something. `request`: by it, the handler finds out where the call comes from. If a refusal ends by
 * itself, the answer says when another try is worth it.
 */
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
    respond: respondWith(rest, async (given, { req: request }) => {
      const done = await handle({ ...check<undefined, undefined, Body>(rest, given), request });
      if (isRefused(done) && done.figures?.retry_after !== undefined) throw forNow(done);
      return done;
    }),
  };
}
