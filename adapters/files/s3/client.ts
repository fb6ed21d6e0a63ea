import { S3Client } from '@aws-sdk/client-s3';
import type { SkewWatch } from './clock.ts';
import { notRetried } from './errors.ts';
import { hideCredentials, withoutRequest } from './refused.ts';
import type { Patience } from './silence.ts';
import type { S3Location } from './url.ts';

/** A bucket, and who asks. */
export interface S3Account extends S3Location {
  /** Default: what the SDK finds, in the environment first. */
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
    | undefined;
}

/** Milliseconds. The SDK waits for so long before it starts its own timer, if that timer is for six seconds or more. */
const sdkDelay = 3_000;

/**
 * Connects to a server that may be silent for `timeout` milliseconds. A refusal is thrown as `S3Refused`, so that no log can hold
 * the whole answer.
 */
export function connectS3(
  { endpoint, region, forcePathStyle, credentials }: S3Account,
  timeout: number,
  skew: SkewWatch,
  patience: Patience,
): S3Client {
  const place = region ?? (endpoint === undefined ? undefined : 'us-east-1');
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(place !== undefined && { region: place }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: forcePathStyle ?? endpoint !== undefined,
    // The signature holds the SHA-256 of all that is sent; further checksums are not understood by every vendor's server.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: Math.min(timeout, 3_000),
      socketTimeout: timeout < 6_000 ? timeout : timeout - sdkDelay,
    },
  });
  const { middlewareStack } = client;
  // Around each request that is sent.
  middlewareStack.add(
    (next) => async (args) => {
      const result = await patience(() => mapError(next(args), notRetried));
      skew.answered(result.response);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'latchkeySilence' },
  );
  // It runs while the answer is read: only then is the signature known.
  middlewareStack.add((next) => (args) => mapError(next(args), (error) => hideCredentials(error, args.request)), {
    step: 'deserialize',
    priority: 'high',
    name: 'latchkeyCredentials',
  });
  // Around it all: until then the SDK needs its own error, to see if it should try again.
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
