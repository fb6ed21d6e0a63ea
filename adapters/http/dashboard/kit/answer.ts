import type { VNode } from 'preact';
import type { NewSession } from '../../../../core/accounts/signed-in.ts';
import type { Context } from '../../state.ts';
import type { Surface } from '../../surface.ts';
import { rootOf } from '../../ui/frame.ts';
import { MessagePage, renderPage } from '../../ui/layout.tsx';
import type { NoticeName } from '../../ui/notices.ts';
import { formPolicy, sendPrivatePage } from '../../ui/send-page.ts';
import { failureWords } from '../../ui/words.ts';
import type { Cookies } from '../../visitor/cookies.ts';
import type { FrameOf, FrameTools } from '../../visitor/frame-of.ts';
import type { Visit } from './page.ts';

declare const brand: unique symbol;

/** A path of this site, from its first page and without the first slash, such as `account/keys?page=2`. */
export type OwnPath = string & { readonly [brand]: 'OwnPath' };

/** An address of nobody. A path that stays with it stays on this site too. */
const base = 'http://site.invalid';

/** A new token for the session, or the end of the session. */
export type SessionChange = NewSession | 'ended';

/** A page, a redirect on this site, or one to another site. */
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
      readonly to: OwnPath;
      readonly notice?: NoticeName | undefined;
      readonly session?: SessionChange | undefined;
      /** The token by which an account knows this browser. */
      readonly device?: string | undefined;
      /** The challenge for the second page of a sign-in. `undefined` keeps the stored one, an empty text deletes it. */
      readonly challenge?: string | undefined;
    }
  | { readonly kind: 'leave'; readonly to: URL };
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

/**
 * Redirects to a path from the site's first page, such as `account/keys`. `notice` is shown there once. Throws if the path
 * leads to another site: only `leaveTo` does that.
 */
export function goTo(path: string, more: Omit<Redirect, 'kind' | 'to'> = {}): Answer {
  const to = parseOwnPath(path);
  if (to === undefined) throw new Error('The path of a redirect leads to another site.');
  return { kind: 'redirect', to, ...more };
}

/** Redirects to the page of another site. Its address must come from that site, never from a request. */
export function leaveTo(address: string): Answer {
  const to = new URL(address);
  if (to.protocol !== 'https:' && to.protocol !== 'http:') throw new Error('The address of a redirect is no web page.');
  return { kind: 'leave', to };
}

/** Sends the answer. A page shows the notice of the frame, so the notice is deleted after it. */
export function send({ ctx, frame, images }: Visit, cookies: Cookies, answer: Answer): void {
  if (answer.kind === 'leave') {
    redirect(ctx, answer.to.href);
    return;
  }
  setSession(ctx, cookies, answer.session);
  if (answer.kind === 'page') {
    if (answer.status === 503) ctx.set('Retry-After', '1');
    sendPrivatePage(ctx, formPolicy(images, answer.leadsTo), renderPage(answer.page), answer.status);
    if (frame.notice !== undefined) cookies.set(ctx, 'notice', undefined);
    return;
  }
  const { to, notice, device, challenge } = answer;
  if (notice !== undefined) cookies.set(ctx, 'notice', notice);
  if (device !== undefined) cookies.set(ctx, 'device', device);
  if (challenge !== undefined) cookies.set(ctx, 'challenge', challenge || undefined);
  // The root begins with a dot. So browsers never take the rest for the address of another site.
  redirect(ctx, `${frame.root}${to}`);
}

function redirect(ctx: Context, address: string): void {
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

/**
 * Reads a text as browsers do: they take `\` for `/`, and skip tabs and ends of lines. Returns `undefined` if it leads to
 * another site, or if the text without its first slash is a whole address, such as `https://evil.example`.
 */
export function parseOwnPath(text: string): OwnPath | undefined {
  if (!URL.canParse(text, base)) return undefined;
  const { origin, pathname, search, hash } = new URL(text, base);
  const path = `${pathname.slice(1)}${search}${hash}`;
  return origin === base && !path.startsWith('/') && !URL.canParse(path) ? (path as OwnPath) : undefined;
}

/** Renders a failure as a page. From 500 on it reads nothing from the database, because the database may be down. */
export function failurePage(site: FrameTools['site'], frameOf: FrameOf): NonNullable<Surface['renderFailure']> {
  const titles: Readonly<Record<number, string>> = failureWords.titles;
  return async (ctx, status, { message }) => {
    ctx.set('Content-Security-Policy', formPolicy());
    const title = titles[status] ?? failureWords.notDone;
    const frame = status < 500 ? await frameOf(ctx) : { ...site(), root: rootOf(ctx.path) };
    return renderPage(MessagePage({ frame, title, text: message }));
  };
}
