import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { Failure } from './failures.ts';

export const tooManyFiles = 'There are too many files.';
export const formTooLarge = 'The form is larger than it may be.';

export function tooLong(most: number): Failure {
  return new Failure('payload_too_large', { detail: `The request may have ${most} bytes.` });
}

/**
 * Hands a body to multer's parser, as long as it has no more than so many bytes. When multer has found a fault, it would still
 * read the rest before it tells it; `refused` rejects at once then.
 */
export function feedUpTo(most: number) {
  let fail: (error: unknown) => void = () => undefined;
  const refused = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const feed = (request: IncomingMessage, parser: Writable) => {
    let cause: unknown = new Failure('validation_error', { detail: formTooLarge });
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > most) parser.destroy(tooLong(most));
    });
    parser.once('filesLimit', () => {
      cause = new Failure('validation_error', { detail: tooManyFiles });
    });
    parser.once('error', (error) => {
      cause = error;
    });
    // multer takes the parser off the request at the end, and at a fault. What came at the same time may complete the request.
    parser.once('unpipe', () => setImmediate(() => request.complete || fail(cause)));
    request.pipe(parser);
  };
  return { refused, feed };
}
