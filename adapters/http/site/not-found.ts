import { pageHeaders } from '../security-headers.ts';
import type { Context } from '../state.ts';
import { MessagePage, renderPage } from '../ui/layout.tsx';
import { pagePolicy, sendPage, textOf } from '../ui/send-page.ts';
import type { FrameOf } from '../visitor/frame-of.ts';
import { words } from './words.ts';

const policy = pagePolicy("style-src 'self'", "img-src 'self'");

/** Returns a function that sends the page of an address that does not exist, on any surface. */
export function createNotFound(frameOf: FrameOf): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    ctx.set(pageHeaders);
    await sendNoPage(ctx, frameOf);
  };
}

/** Sends the page of an address that does not exist. */
export async function sendNoPage(ctx: Context, frameOf: FrameOf): Promise<void> {
  ctx.state.refused = 'not_found';
  const { title, page: text } = words.notFound;
  const page = MessagePage({ frame: await frameOf(ctx), title, text });
  sendPage(ctx, policy, textOf(renderPage(page)), 404);
}
