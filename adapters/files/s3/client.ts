import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import type { SkewWatch } from './clock-skew.ts';
import { isSilence, notRetried, silent } from './errors.ts';
import { patienceOf } from './patience.ts';
import { hideCredentials, withoutRequest } from './refused.ts';
import type { SilenceBreaker } from './silence.ts';
import type { S3Location } from './url.ts';

/** A bucket and the credentials for it. */
export interface S3Account extends S3Location {
  /** Default: the credentials that the SDK finds, first in the environment. */
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
    | undefined;
}

/** In milliseconds. If a timeout is six seconds or longer, the SDK starts its timer only after this delay. */
const sdkDelay = 3_000;

/** Bytes. Each piece of a body that the server takes is progress. */
const pieceSize = 64 * 1024;

/**
 * Creates a client whose requests fail if the server sends nothing for `timeout` milliseconds. Work that has a `Patience`
 * should give its signal to all its requests: the timeout alone begins anew with each retry, and each time that the
 * system has taken a part of a body. Throws refusals as `S3Refused`, so that no log can contain the whole response.
 */
export function connectS3(
  { endpoint, region, forcePathStyle, credentials }: S3Account,
  timeout: number,
  skew: SkewWatch,
  breaker: SilenceBreaker,
): S3Client {
  const place = region ?? (endpoint === undefined ? undefined : 'us-east-1');
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(place !== undefined && { region: place }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: forcePathStyle ?? endpoint !== undefined,
    // The signature already covers the SHA-256 of the content. Some vendors' servers do not support other checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: Math.min(timeout, 3_000),
      socketTimeout: timeout < 6_000 ? timeout : timeout - sdkDelay,
    },
  });
  watchProgress(client);
  const { middlewareStack } = client;
  // Wraps each attempt to send a request.
  middlewareStack.add(
    (next) => async (args) => {
      const result = await breaker(() => mapError(next(args), notRetried));
      skew.answered(result.response);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'latchkeySilence' },
  );
  // Runs after the request is signed, because it needs the signature.
  middlewareStack.add((next) => (args) => mapError(next(args), (error) => hideCredentials(error, args.request)), {
    step: 'deserialize',
    priority: 'high',
    name: 'latchkeyCredentials',
  });
  // Wraps everything, because the SDK needs its own error to decide about retries.
  middlewareStack.add((next) => (args) => mapError(next(args), withoutRequest), {
    step: 'initialize',
    priority: 'high',
    name: 'latchkeyRefusals',
  });
  return client;
}

/** Tells the patience of a request about each piece of its body that was sent, and about its answer. */
function watchProgress({ config: { requestHandler } }: S3Client): void {
  const handle = requestHandler.handle.bind(requestHandler);
  type Request = Parameters<typeof handle>[0];
  requestHandler.handle = async (request: Request, options = {}) => {
    const patience = patienceOf('abortSignal' in options ? options.abortSignal : undefined);
    if (patience === undefined) return await handle(request, options);
    const name = request.headers['amz-sdk-invocation-id'] ?? '';
    const { body } = request;
    const isWhole = body instanceof Uint8Array && body.byteLength > pieceSize;
    const sent: Request = isWhole
      ? Object.assign(request.clone(), { body: inPieces(body, (bytes) => patience.taken(name, bytes)) })
      : request;
    try {
      const answer = await handle(sent, options);
      // A failure of the server is no progress: three of them may not take three times as long.
      if (answer.response.statusCode < 500) patience.renew();
      return answer;
    } catch (error) {
      const { reason } = patience.signal;
      throw isSilence(reason) ? silent(reason.message) : error;
    }
  };
}

function inPieces(body: Uint8Array, taken: (bytes: number) => void): Readable {
  let sent = 0;
  return new Readable({
    highWaterMark: pieceSize,
    read() {
      taken(sent);
      const piece = body.subarray(sent, sent + pieceSize);
      sent += piece.byteLength;
      this.push(piece.byteLength === 0 ? null : piece);
    },
  });
}

async function mapError<T>(work: Promise<T>, map: (error: unknown) => unknown): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw map(error);
  }
}
