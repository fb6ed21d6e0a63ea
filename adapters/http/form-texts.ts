import { readFields } from './body.ts';
import { feedUpTo } from './form-feed.ts';
import type { Context } from './state.ts';

/** The most bytes of a form with files of which the texts are read. */
const most = 1_048_576;

/**
 * Returns the text fields of a form of any kind, and leaves its files out: nothing is written to the disk. Returns
 * `undefined` if the form cannot be read, or is too long for this.
 */
export async function readTexts(ctx: Context): Promise<Readonly<Record<string, string | string[]>> | undefined> {
  try {
    if (!ctx.request.is('multipart/form-data')) return await readFields(ctx, true);
    const { length } = ctx.request;
    if (length === undefined || length > most) return undefined;
    const { default: multer } = await import('@koa/multer');
    const feeding = feedUpTo(most);
    const receiver = multer({
      streamHandler: feeding.feed,
      fileFilter: (_request, _file, done) => done(null, false),
      limits: { fields: 50, fieldSize: 262_144, fieldNameSize: 100, parts: 60 },
    });
    await Promise.race([receiver.any()(ctx, async () => undefined), feeding.refused]);
    return { ...(ctx.request as { body?: Record<string, string | string[]> }).body };
  } catch {
    return undefined;
  }
}
