import { readFields } from './body.ts';
import { feedUpTo, textLimits } from './form-feed.ts';
import type { Context } from './state.ts';
import { createPermits } from './upload.ts';

/** Bytes of a form that is read at once, whoever sends it. */
const short = 1_048_576;
/** The longer forms that a process reads at the same time, of everybody and of one network address. */
const longForms = { all: createPermits<'all'>(8), ofAddress: createPermits<string>(2) };

/**
 * Returns the text fields of a form of any kind, and leaves its files out: nothing is written to the disk. Returns
 * `undefined` if the form cannot be read, is longer than `most` bytes, or if others send too many long ones.
 */
export async function readTexts(
  ctx: Context,
  { address, most = short }: { readonly address: string; readonly most?: number | undefined },
): Promise<Readonly<Record<string, string | string[]>> | undefined> {
  try {
    if (!ctx.request.is('multipart/form-data')) return await readFields(ctx, true);
    const { length } = ctx.request;
    if (length === undefined || length > most) return undefined;
    const leave = length <= short ? () => undefined : takePlaces(address);
    if (leave === undefined) return undefined;
    try {
      return await textsOf(ctx, length);
    } finally {
      leave();
    }
  } catch {
    return undefined;
  }
}

async function textsOf(ctx: Context, length: number): Promise<Record<string, string | string[]>> {
  const { default: multer } = await import('@koa/multer');
  const feeding = feedUpTo(length);
  const receiver = multer({
    streamHandler: feeding.feed,
    fileFilter: (_request, _file, done) => done(null, false),
    limits: textLimits,
  });
  await Promise.race([receiver.any()(ctx, async () => undefined), feeding.refused]);
  return { ...(ctx.request as { body?: Record<string, string | string[]> }).body };
}

/** Returns the function that frees the place of a long form. `undefined` if there is no place. */
function takePlaces(address: string): (() => void) | undefined {
  const leaveOwn = longForms.ofAddress.take(address);
  const leave = leaveOwn && longForms.all.take('all');
  if (leave === undefined) leaveOwn?.();
  return (
    leave &&
    (() => {
      leave();
      leaveOwn();
    })
  );
}
