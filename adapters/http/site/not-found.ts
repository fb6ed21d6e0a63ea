import { pageHeaders } from '../security-headers.ts';
import type { Context } from '../state.ts';
import type { SendNotFound } from '../surface.ts';
import { MessagePage, renderPage } from '../ui/layout.tsx';
import { pagePolicy, prefersPage, sendPage, textOf } from '../ui/send-page.ts';
import type { FrameOf } from '../visitor/frame-of.ts';
import { words } from './words.ts';

const policy = pagePolicy("style-src 'self'", "img-src 'self'");

/**
 * Sends a page to a browser that asks for an address that does not exist, on any surface. Returns false for programs:
 * they get the failure of the surface as JSON.
 */
export function createNotFound(frameOf: FrameOf): SendNotFound {
  return async (ctx) => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isRead || !prefersPage(ctx)) return false;
    ctx.set(pageHeaders);
    await sendNoPage(ctx, frameOf);
    return true;
  };
}

/** Sends the page of an address that does not exist. */
export async function sendNoPage(ctx: Context, frameOf: FrameOf): Promise<void> {
  ctx.state.refused = 'not_found';
  const { title, page: text } = words.notFound;
  const page = MessagePage({ frame: await frameOf(ctx), title, text });
  sendPage(ctx, policy, textOf(renderPage(page)), 404);
}
