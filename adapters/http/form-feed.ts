import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { hasGone } from './client-gone.ts';
import { Failure } from './failures.ts';

/**
 * The texts of a multipart form, which are kept in memory: 13 MB at most. The form of a bundle with prices in 20 currencies has about
 * 110 fields, and the longest text, a description, at most 80,000 bytes.
 */
export const textLimits = { fields: 130, fieldSize: 100_000, fieldNameSize: 100, parts: 140 } as const;

export const tooManyFiles = 'There are too many files.';
export const formTooLarge = 'The form is too large.';

export function tooLong(most: number, why = ''): Failure {
  return new Failure('payload_too_large', { detail: `The request may have at most ${most} bytes. ${why}`.trim() });
}

/**
 * Feeds a body of at most `most` bytes to multer's parser. After an error, multer would read the rest of the body
 * before it reports the error; `refused` rejects at once. `stop` ends the parser and all files that it has begun: if
 * one file is not read to its end, the parser would wait for ever.
 */
export function feedUpTo(most: number) {
  let fail: (error: unknown) => void = () => undefined;
  let stop: (error: Error) => void = () => undefined;
  const refused = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const feed = (request: IncomingMessage, parser: Writable) => {
    // The client has gone before the reading began. Then no event of the request follows.
    if (request.destroyed) return fail(hasGone());
    let cause: unknown = new Failure('validation_error', { detail: formTooLarge });
    let received = 0;
    stop = (error) => void parser.destroy(error);
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > most) stop(tooLong(most));
    });
    parser.once('filesLimit', () => {
      cause = new Failure('validation_error', { detail: tooManyFiles });
    });
    parser.once('error', (error) => {
      cause = error;
    });
    // multer unpipes the parser at the end and after an error. Data that is already here may still complete the
    // request.
    parser.once('unpipe', () => setImmediate(() => request.complete || fail(cause)));
    request.pipe(parser);
  };
  return { refused, feed, stop: (error: Error) => stop(error) };
}
