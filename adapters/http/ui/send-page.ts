import { createHash } from 'node:crypto';
import type { Context } from '../state.ts';

/** Sends a page under its content security policy. A browser that already has the same page gets 304. */
export function sendPage(ctx: Context, policy: string, page: string, status = 200): void {
  if (status === 200) {
    ctx.set('Content-Security-Policy', policy);
    ctx.type = 'html';
    sendText(ctx, page);
  } else sendPrivatePage(ctx, policy, page, status);
}

/** Sends a page that nothing may keep, in full each time. */
export function sendPrivatePage(ctx: Context, policy: string, page: string, status: number): void {
  ctx.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' });
  ctx.type = 'html';
  ctx.status = status;
  ctx.body = page;
}

/** Sends a short text that nothing may keep. */
export function sendPrivateText(ctx: Context, text: string): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'text/plain';
  ctx.body = text;
}

/** Sends a text, or 304. The client asks each time if the text has changed. Only the browser of its reader may keep it. */
export function sendText(ctx: Context, body: string, etag = tagOf(body)): void {
  ctx.set({ 'Cache-Control': ctx.state.me ? 'private, no-cache' : 'no-cache', ETag: etag });
  ctx.status = 200;
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = body;
}

export function tagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}

/** Whether the client prefers a page to JSON, as browsers do. A client that takes everything gets JSON. */
export function prefersPage(ctx: Context): boolean {
  return ctx.accepts('json', 'html') === 'html';
}
