import type { Surface } from '../surface.ts';
import { rootOf } from '../ui/frame.ts';
import { renderPage } from '../ui/layout.tsx';
import { MessagePage } from '../ui/message-page.tsx';
import { formPolicy } from '../ui/policy.ts';
import { texts } from '../ui/texts.ts';
import type { FrameOf } from '../visitor/frame-of.ts';

/** Renders a failure as a page. From 500 on it reads nothing from the database, because the database may be down. */
export function failurePage(site: string, frameOf: FrameOf): NonNullable<Surface['renderFailure']> {
  const titles: Readonly<Record<number, string>> = texts.failure.titles;
  return async (ctx, status, { message }) => {
    ctx.set('Content-Security-Policy', formPolicy());
    const title = titles[status] ?? texts.failure.notDone;
    const frame = status < 500 ? await frameOf(ctx) : { site, root: rootOf(ctx.path) };
    return renderPage(MessagePage({ frame, title, text: message }));
  };
}
