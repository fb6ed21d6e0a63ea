import { accountEnvelope } from './envelopes.ts';
import type { FailureReason } from './failures.ts';
import { type Declaration, licenseRoute, type Route } from './route.ts';
import { tagOf } from './ui/send-page.ts';

/** Makes a route of the account API that needs no key. Clients and caches may keep its answers for as long as it says. */
export function publicRoute<Params, Query, Answer extends object, const Reason extends FailureReason>(
  declaration: Declaration<Params, Query, undefined, Answer, Reason, unknown>,
): Route {
  // Its answers have headers, so nothing may answer without its own function.
  const { answerQuery: _, ...route } = licenseRoute({ ...declaration, envelope: accountEnvelope });
  return {
    ...route,
    async respond(ctx) {
      await route.respond(ctx);
      ctx.set('ETag', tagOf(JSON.stringify(ctx.body)));
      ctx.status = 200;
      if (ctx.fresh) ctx.status = 304;
    },
  };
}
