import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from './state.ts';
import type { Endpoint } from './surface.ts';
import type { Text } from './ui/send-page.ts';

const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/** Shorter bodies are sent as they are: compression would save less than its header costs. */
const least = 1_024;
const inBrotli = promisify(brotliCompress);
const inGzip = promisify(gzip);

/**
 * Chooses how a body is sent, and says in `Vary` that this depends on the request. Only for bodies that are the same for
 * everybody: otherwise the length could tell a stranger what else is in the body (BREACH).
 */
export function chooseEncoding(ctx: Context, bytes: Buffer): Encoding | undefined {
  if (bytes.length < least) return undefined;
  ctx.vary('Accept-Encoding');
  return encodings.find((one) => ctx.acceptsEncodings(one) === one);
}

/** Bodies that are sent again and again, in each encoding. */
const kept = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>();

/** Compresses a body. One that is `kept` is compressed once and well, or `briefly`, and the result is kept as long as it. */
function compressed(bytes: Buffer, encoding: Encoding, audience: Text['audience']): Promise<Buffer> {
  const make = () => (audience === 'kept' ? compress(bytes, encoding, 9, 9) : compress(bytes, encoding, 4, 6));
  if (audience !== 'kept' && audience !== 'briefly') return make();
  const made = kept.get(bytes) ?? new Map<Encoding, Promise<Buffer>>();
  kept.set(bytes, made);
  const known = made.get(encoding) ?? make();
  made.set(encoding, known);
  return known;
}

async function compress(bytes: Buffer, encoding: Encoding, quality: number, level: number): Promise<Buffer> {
  if (encoding === 'gzip') return await inGzip(bytes, { level });
  return await inBrotli(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

/** Returns the endpoints so that they send the bodies for which they have chosen an encoding in it. */
export function withEncodings(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map((endpoint) => ({
    ...endpoint,
    async respond(ctx) {
      await endpoint.respond(ctx);
      const { encoded } = ctx.state;
      if (encoded === undefined || !Buffer.isBuffer(ctx.body)) return;
      const body = await compressed(ctx.body, encoded.encoding, encoded.audience);
      ctx.set('Content-Encoding', encoded.encoding);
      ctx.body = body;
    },
  }));
}
