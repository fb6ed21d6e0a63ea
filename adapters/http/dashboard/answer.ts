import type { VNode } from 'preact';
import type { NewSession } from '../../../core/accounts/signed-in.ts';
import type { Context } from '../state.ts';
import { renderPage } from '../ui/layout.tsx';
import { formPolicy } from '../ui/policy.ts';
import { sendPrivatePage } from '../ui/send-page.ts';
import type { NoticeName } from '../ui/texts/notices.ts';
import type { Cookies } from '../visitor/cookies.ts';
import type { Visit } from './visit.ts';

/** A new token for the session, or the end of the session. */
export type SessionChange = NewSession | 'ended';

/** A page, or a redirect. */
export type Answer =
  | {
      readonly kind: 'page';
      readonly page: VNode;
      readonly status: number;
      readonly session?: SessionChange | undefined;
      /** The origin of another site to which a form of the page leads, after it was sent to this one. */
      readonly leadsTo?: string | undefined;
    }
  | {
      readonly kind: 'redirect';
      /** A path from the site's first page, such as `account/keys`, or the whole address on another site. */
      readonly to: string;
      readonly notice?: NoticeName | undefined;
      readonly session?: SessionChange | undefined;
      /** The challenge for the second page of a sign-in. `undefined` keeps the stored one, an empty text deletes it. */
      readonly challenge?: string | undefined;
    };
type Redirect = Extract<Answer, { kind: 'redirect' }>;

/** The header by which `upload.js` says that it sends the form. */
const formByScript = 'Form-By-Script';

/** Returns the answer that sends this page. */
export function shown(
  page: VNode,
  { status = 200, session, leadsTo }: { status?: number; session?: SessionChange; leadsTo?: string | undefined } = {},
): Answer {
  return { kind: 'page', page, status, session, leadsTo };
}

/** Redirects to a path from the site's first page, such as `account/keys`, or to another site. `notice` is shown there once. */
export function goTo(to: string, more: Omit<Redirect, 'kind' | 'to'> = {}): Answer {
  return { kind: 'redirect', to, ...more };
}

/** Sends the answer. A page shows the notice of the frame, so the notice is deleted after it. */
export function send({ ctx, frame, images }: Visit, cookies: Cookies, answer: Answer): void {
  setSession(ctx, cookies, answer.session);
  if (answer.kind === 'page') {
    sendPrivatePage(ctx, formPolicy(images, answer.leadsTo), renderPage(answer.page), answer.status);
    if (frame.notice !== undefined) cookies.set(ctx, 'notice', undefined);
    return;
  }
  const { to, notice, challenge } = answer;
  if (notice !== undefined) cookies.set(ctx, 'notice', notice);
  if (challenge !== undefined) cookies.set(ctx, 'challenge', challenge || undefined);
  const address = to.startsWith('https://') || to.startsWith('http://') ? to : `${frame.root}${to}`;
  ctx.body = '';
  // A script that sends a form opens that page itself. If its request followed the redirect, it would use up the
  // notice.
  const isSentByScript = ctx.get(formByScript) !== '';
  ctx.status = isSentByScript ? 200 : 303;
  ctx.set(isSentByScript ? 'Go-To' : 'Location', address);
}

export function setSession(ctx: Context, cookies: Cookies, session: SessionChange | undefined): void {
  if (session === undefined) return;
  cookies.set(ctx, 'session', session === 'ended' ? undefined : session.token);
  if (session !== 'ended' && session.device !== undefined) cookies.set(ctx, 'device', session.device);
}
