import type { Action, Actor } from '../../../core/accounts/role.ts';
import { may } from '../../../core/accounts/role.ts';
import { Failure } from '../failures.ts';
import { isWithoutNul } from '../fields.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { texts } from '../ui/texts.ts';
import { type Answer, goTo, send } from './answer.ts';
import { type DashboardTools, visitOf } from './tools.ts';
import type { SignedInVisit, Visit } from './visit.ts';

/** Who may see a page: anybody, only people who are not signed in, only people who are, or only people with this right. */
export type Audience = 'anybody' | 'guest' | 'user' | Action;

/** The visit of somebody in this audience. */
export type VisitOf<Of extends Audience> = Of extends 'anybody' | 'guest' ? Visit : SignedInVisit;

/** A page that is only read. */
export interface Page<Of extends Audience> {
  readonly id: string;
  readonly path: string;
  readonly audience: Of;
  show(visit: VisitOf<Of>): Promise<Answer>;
}

/** Makes the endpoint of the page. */
export function page<const Of extends Audience>(
  tools: DashboardTools,
  { id, path, audience, show }: Page<Of>,
): Endpoint {
  return {
    id,
    method: 'get',
    paths: [path],
    async respond(ctx) {
      const visit = await admit(tools, ctx, audience);
      if (!visit) return;
      send(visit, tools.cookies, await show(visit));
    },
  };
}

/** The signed-in person as the actor of use cases. */
export function actorOf({ me: { login } }: SignedInVisit): Actor {
  return { kind: 'user', user: login };
}

/** The signed-in person as actor, with the reason that was typed. */
export function actorWith(visit: SignedInVisit, reason: string): Actor {
  return { ...actorOf(visit), ...(reason !== '' && { reason }) };
}

/**
 * Returns the visit of somebody who may see the page. Otherwise redirects and returns `undefined`: people who are not
 * signed in go to the sign-in page and come back later. Throws `forbidden` for people without the right.
 */
export async function admit<Of extends Audience>(
  tools: DashboardTools,
  ctx: Context,
  audience: Of,
): Promise<VisitOf<Of> | undefined> {
  if (!Object.values(ctx.params as Record<string, string>).every(isWithoutNul)) throw new Failure('not_found');
  const visit = await visitOf(tools, ctx);
  if (audience === 'anybody') return visit as VisitOf<Of>;
  if (audience === 'guest') {
    if (visit.me === undefined) return visit as VisitOf<Of>;
    send(visit, tools.cookies, goTo('account'));
    return undefined;
  }
  if (visit.me === undefined) {
    send(visit, tools.cookies, toSignIn(tools, ctx));
    return undefined;
  }
  const signedIn = visit as SignedInVisit;
  if (audience !== 'user' && !may(actorOf(signedIn), audience)) {
    throw new Failure('forbidden', { detail: texts.failure.noRight });
  }
  return signedIn as VisitOf<Of>;
}

/**
 * Redirects to the sign-in page, which leads back to this page if the request was a GET. Does not delete the session
 * cookie: after a double click, the first answer may just have set a new one.
 */
export function toSignIn({ cookies }: DashboardTools, ctx: Context): Answer {
  const hadSession = cookies.get(ctx, 'session') !== undefined;
  const next = ctx.method === 'GET' ? `?next=${encodeURIComponent(ctx.url)}` : '';
  return goTo(`sign-in${next}`, { notice: hadSession ? 'session_ended' : 'sign_in_first' });
}
