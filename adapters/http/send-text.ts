import { Readable } from 'node:stream';
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
