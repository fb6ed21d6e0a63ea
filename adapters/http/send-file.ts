import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import send from 'send';
import { Failure } from './failures.ts';
import type { Context } from './state.ts';

/**
 * Sends a text as a file, as fast as the client reads it. Rejects if its start cannot be read. After that, an error closes
 * the connection, so that the client knows that the file is not complete. Stops reading when the client has gone.
 */
export async function sendText(
  ctx: Context,
  text: AsyncIterable<string>,
  { mediaType, filename }: { readonly mediaType: string; readonly filename: string },
): Promise<void> {
  const pieces = text[Symbol.asyncIterator]();
  const first = await pieces.next();
  const all = async function* () {
    try {
      for (let next = first; !next.done; next = await pieces.next()) yield next.value;
    } finally {
      await pieces.return?.();
    }
  };
  const body = Readable.from(all(), { objectMode: true, highWaterMark: 1 });
  body.once('error', () => ctx.res.destroy());
  ctx.attachment(filename);
  ctx.body = body;
  ctx.type = `${mediaType}; charset=utf-8`;
}

/** The place of a file: on this machine, or at another address. */
export type Located = { readonly path: string } | { readonly url: string };

/** Reads little ahead, because thousands of files may be sent to slow clients at the same time. */
const reading = { highWaterMark: 16_384 };

/** Sends a file: whole, in the requested range, or as 304 if the client has it already. */
export async function sendFile(
  ctx: Context,
  file: Located,
  { cacheControl, filename }: { readonly cacheControl: string; readonly filename?: string },
): Promise<void> {
  if ('url' in file) {
    ctx.redirect(file.url);
    return;
  }
  ctx.set('Cache-Control', cacheControl);
  if (filename !== undefined) ctx.attachment(filename);
  // The package expects a URL path, and decodes it.
  const stream = send(ctx.req, encodeURI(file.path), {
    cacheControl: false,
    dotfiles: 'allow',
    index: false,
    ...reading,
  });
  await new Promise<void>((resolve, reject) => {
    stream.on('error', (error: Error & { status?: number }) => {
      if (error.status === 412) reject(new Failure('precondition_failed', { cause: error }));
      else if (error.status === 416) reject(new Failure('range_not_satisfiable', { headers: contentRange(ctx) }));
      else reject(error.status === 404 ? new Failure('not_found', { cause: error }) : error);
    });
    ctx.respond = false;
    ctx.res.statusCode = 200;
    finished(ctx.res).then(resolve, () => resolve());
    stream.pipe(ctx.res);
  }).catch((error) => {
    ctx.respond = true;
    for (const header of ['Content-Disposition', 'Content-Type', 'ETag', 'Last-Modified']) ctx.remove(header);
    throw error;
  });
}

function contentRange(ctx: Context): Record<string, string> {
  const range = ctx.res.getHeader('Content-Range');
  return typeof range === 'string' ? { 'Content-Range': range } : {};
}
