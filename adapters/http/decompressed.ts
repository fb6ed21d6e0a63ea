import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { Failure } from './failures.ts';

const decompressions = { gzip: createUnzip, deflate: createUnzip, br: createBrotliDecompress };

/**
 * Reads the body of a request, decompressed. When `read` has ended, the decompression ends too. Otherwise an error in
 * data after the end of reading, which nobody handles, would end the process.
 */
export async function decompressed<T>(request: IncomingMessage, read: (body: Readable) => Promise<T>): Promise<T> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return await read(request);
  const [, start] = Object.entries(decompressions).find(([name]) => name === encoding) ?? [];
  if (start === undefined) throw new Failure('unsupported_media_type');
  const body = start();
  try {
    return await read(request.pipe(body));
  } finally {
    request.unpipe(body);
    body.destroy();
  }
}
