import { createHash } from 'node:crypto';
import { chooseEncoding } from '../encodings.ts';
import type { Context } from '../state.ts';

function policyOf(sources: readonly string[], forms: string): string {
  const rest = ["base-uri 'none'", `form-action ${forms}`, "frame-ancestors 'none'"];
  return ["default-src 'none'", "font-src 'self'", ...sources, ...rest].join('; ');
}

const noHtmlByScript = ["require-trusted-types-for 'script'", "trusted-types 'none'"];

/** A source for pages that search engines show: tools that rate them read robots.txt from the page itself. */
export const ownRequests = "connect-src 'self'";

/** Returns a content security policy that forbids everything but these sources. Scripts cannot write HTML (Trusted Types). */
export function pagePolicy(...sources: readonly string[]): string {
  return policyOf([...sources, ...noHtmlByScript], "'none'");
}

/**
 * For pages with forms, which may be sent to this site only, by scripts too. `images` is the origin of the pictures of
 * products, if it is not this server. `leadsTo` is the origin of another site to which a form leads after it was sent to
 * this one: browsers check that too.
 */
export function formPolicy(images = '', leadsTo = ''): string {
  const sources = ["script-src 'self'", "style-src 'self'", `img-src 'self' ${images}`.trim(), ownRequests];
  return policyOf([...sources, ...noHtmlByScript], `'self' ${leadsTo}`.trim());
}

/** A text as it is sent. Responses that wait until slow clients read them share its bytes. */
export interface Text {
  readonly bytes: Buffer;
  readonly tag: string;
  /**
   * Who gets it: only who may see it, or everybody who is not signed in. `kept`: it is sent again and again; `briefly`: for some
   * seconds.
   */
  readonly audience: 'one' | 'all' | 'briefly' | 'kept';
}

/**
 * Makes a text. Only one for everybody is compressed: it must have no secret beside what others typed, such as the address of a
 * preview, because its length could tell it (BREACH).
 */
export function textOf(written: string, audience: Text['audience'] = 'one'): Text {
  const bytes = Buffer.from(written);
  return { bytes, tag: tagOf(bytes), audience };
}

/** Sends a page under its content security policy. A browser that already has the same page gets 304. */
export function sendPage(ctx: Context, policy: string, page: Text, status = 200): void {
  if (status === 200) {
    ctx.set('Content-Security-Policy', policy);
    ctx.type = 'html';
    sendText(ctx, page);
  } else sendPrivatePage(ctx, policy, page.bytes, status);
}

/** Texts up to this length go with their headers in one piece, longer ones as bytes. */
export const shortText = 16_384;

/** Sends a page that nothing may keep, in full each time. */
export function sendPrivatePage(ctx: Context, policy: string, page: string | Buffer, status: number): void {
  ctx.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' });
  ctx.type = 'html';
  ctx.status = status;
  // Koa would measure a long text, and the text would then be turned into bytes all the same.
  ctx.body = typeof page === 'string' && page.length > shortText ? Buffer.from(page) : page;
}

/** Sends a short text that nothing may keep. */
export function sendPrivateText(ctx: Context, text: string): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'text/plain';
  ctx.body = text;
}

/** Sends a text, or 304. The client asks each time if the text has changed. Only the browser of its reader may keep it. */
export function sendText(ctx: Context, text: Text): void {
  const { bytes, tag, audience } = text;
  ctx.state.sent = text;
  const isForAll = audience !== 'one' && ctx.state.me === undefined;
  const encoding = isForAll ? chooseEncoding(ctx, bytes) : undefined;
  // Each encoding has other bytes, so it has another tag.
  const etag = encoding === undefined ? tag : `${tag.slice(0, -1)}-${encoding}"`;
  ctx.set({ 'Cache-Control': ctx.state.me ? 'private, no-cache' : 'no-cache', ETag: etag });
  ctx.status = 200;
  if (ctx.fresh) ctx.status = 304;
  else {
    ctx.body = bytes;
    if (encoding !== undefined) ctx.state.encoded = { encoding, audience };
  }
}

export function tagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}

/** Whether somebody wants to read a page, with a browser. */
export function asksForPage(ctx: Context): boolean {
  return (ctx.method === 'GET' || ctx.method === 'HEAD') && prefersPage(ctx);
}

/** Whether the client prefers a page to JSON, as browsers do. A client that takes everything gets JSON. */
export function prefersPage(ctx: Context): boolean {
  return ctx.accepts('json', 'html') === 'html';
}
