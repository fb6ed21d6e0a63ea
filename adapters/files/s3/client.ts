import { S3Client } from '@aws-sdk/client-s3';
import type { SkewWatch } from './clock-skew.ts';
import { notRetried } from './errors.ts';
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

/**
 * Creates a client whose requests fail if the server sends nothing for `timeout` milliseconds. Throws refusals as
 * `S3Refused`, so that no log can contain the whole response.
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

async function mapError<T>(work: Promise<T>, map: (error: unknown) => unknown): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw map(error);
  }
}
