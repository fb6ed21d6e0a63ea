import type { KeyMode } from '../../../../core/accounts/api-key.ts';
import type { Login } from '../../../../core/accounts/login.ts';
import { type Action, type Actor, may } from '../../../../core/accounts/role.ts';
import type { Sessions } from '../../../../core/accounts/sessions.ts';
import type { From, SignedIn } from '../../../../core/accounts/signed-in.ts';
import { isOfSandbox } from '../../../../core/accounts/user.ts';
import type { KeyedRequest } from '../../../../core/events/event.ts';
import type { Clock } from '../../../../core/ports/clock.ts';
import type { SecretBox } from '../../../../core/ports/secret-box.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { ClientAddress } from '../../client-address.ts';
import { Failure, type OwnPage, pageOfRefusal } from '../../failures.ts';
import { isWithoutNul } from '../../fields.ts';
import type { Context } from '../../state.ts';
import type { Endpoint } from '../../surface.ts';
import type { Frame } from '../../ui/frame.ts';
import { failureWords, sandboxWords } from '../../ui/words.ts';
import type { FormReader, UploadLimits } from '../../upload.ts';
import { type FrameTools, frameOf } from '../../visitor/frame-of.ts';
import { type Answer, goTo, send } from './answer.ts';

/** One request for a page. */
export interface Visit {
  readonly frame: Frame;
  readonly from: From;
  /** The person who is signed in. */
  readonly me: SignedIn | undefined;
  /** The variable parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The origin of the pictures of products, if it is not this server. */
  readonly images: string | undefined;
  readonly ctx: Context;
}

/** A request of somebody who is signed in. */
export interface SignedInVisit extends Visit {
  readonly me: SignedIn;
}

/** The dependencies of all pages of the dashboard. */
export interface DashboardTools extends FrameTools {
  readonly sessions: Pick<Sessions, 'authenticate' | 'confirm'>;
  readonly clock: Clock;
  /** Encrypts what was typed into forms, for the browser. */
  readonly box: SecretBox;
  readonly clientAddress: ClientAddress;
  /** Returns the path of the page that this person comes to if no other is wanted. */
  homeOf(login: Login): Promise<string>;
  readonly readForm: FormReader;
  /** The largest files that forms accept. */
  readonly uploadLimits: UploadLimits;
  /** Whether mails leave this machine. Otherwise, only administrators can read them. */
  readonly sendsMail: boolean;
  /** The origin of the pictures of products, if it is not this server. */
  readonly images: string | undefined;
}

/** The request, of whomever it is. */
export async function visitOf(tools: DashboardTools, ctx: Context): Promise<Visit> {
  return {
    ctx,
    me: ctx.state.me,
    images: tools.images,
    params: ctx.params ?? {},
    query: Object.fromEntries(Object.entries(ctx.query).map(([name, value]) => [name, [value].flat()[0] ?? ''])),
    frame: await frameOf(tools, ctx),
    from: {
      address: tools.clientAddress(ctx.req),
      browser: ctx.get('User-Agent'),
      device: tools.cookies.get(ctx, 'device'),
    },
  };
}

/** Who may see a page: anybody, only people who are not signed in, only people who are, or only people with this right. */
export type Audience = 'anybody' | 'guest' | SignedInAudience;
export type SignedInAudience = 'user' | Action;

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
export function actorWith(visit: SignedInVisit, reason: string, request?: KeyedRequest): Actor {
  return { ...actorOf(visit), ...(reason !== '' && { reason }), ...(request && { request }) };
}

/**
 * Returns the visit of somebody who may see the page. Otherwise redirects and returns `undefined`: people who are not
 * signed in go to the sign-in page and come back later, and people in a sandbox to the same page with test data. Throws
 * `forbidden` for people without the right.
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
    send(visit, tools.cookies, goTo(await tools.homeOf(visit.me.login)));
    return undefined;
  }
  if (visit.me === undefined) {
    send(visit, tools.cookies, toSignIn(tools, ctx));
    return undefined;
  }
  const signedIn = visit as SignedInVisit;
  if (audience !== 'user' && !may(actorOf(signedIn), audience)) {
    throw new Failure('forbidden', { detail: failureWords.noRight });
  }
  if (isOfSandbox(visit.me.login) && visit.params.mode === ('live' satisfies KeyMode)) {
    if (ctx.method !== 'GET') throw new Failure('forbidden', { detail: sandboxWords.testOnly });
    send(
      visit,
      tools.cookies,
      goTo(`${visit.ctx.path.slice(1).replace(/^selling\/live/i, 'selling/test')}${ctx.search}`),
    );
    return undefined;
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

/**
 * Returns the value, or a refusal that a form shows. Throws a `Failure` for refusals that have their own page, such as
 * not found.
 */
export function orFail<T, Reason extends string>(
  value: T | Refused<Reason>,
): T | (Reason extends OwnPage ? never : Refused<Reason>);
export function orFail<T>(value: T | Refused): T | Refused {
  const page = isRefused(value) ? pageOfRefusal(value.reason) : undefined;
  if (page === undefined) return value;
  throw new Failure(page, page === 'forbidden' ? { detail: failureWords.noRight } : {});
}
