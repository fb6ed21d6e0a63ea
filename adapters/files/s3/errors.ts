import { Unavailable } from '../../../core/unavailable.ts';
import { codeOf, isNetworkError, networkTroubleOf } from '../../system-error.ts';
import { translated } from '../errors.ts';
import { S3Refused } from './refused.ts';

/** The error name if a server does not respond in time. With the name `TimeoutError`, the SDK would retry twice. */
const silentName = 'SilentServer';

/** Converts a timeout to an error that the SDK does not retry. Returns other errors as they are. */
export function notRetried(error: unknown): unknown {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError' && networkTroubleOf(error) !== 'broken';
  return isTimeout ? silent(error.message) : error;
}

/** Sets no `cause`, because the SDK also checks the cause when it decides about a retry. */
export function silent(message: string): Error {
  const error = new Error(message);
  error.name = silentName;
  return error;
}

/** Whether a server did not respond in time. */
export function isSilence(error: unknown): boolean {
  return nameOf(error) === silentName;
}

/** Whether the caller aborted the request. */
export function isAborted(error: unknown): boolean {
  return nameOf(error) === 'AbortError';
}

/** Error names for problems that may pass soon, with any status. */
const passingNames = new Set([
  'AbortError',
  'CredentialsProviderError',
  'InternalError',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  silentName,
]);
const passingStatuses = new Set([408, 429, 500, 502, 503, 504]);

/** Runs the work. Throws `Unavailable` if S3 or the local disk has an outage, or if S3 refuses. */
export async function translateS3<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translatedS3(error);
  }
}

/**
 * Converts an outage of S3 or the local disk, and a refusal by S3, to `Unavailable`. Returns other errors as they are.
 */
export function translatedS3(error: unknown): unknown {
  return isOutage(error) || isRefusal(error)
    ? new Unavailable(`The file storage cannot be used: ${reasonOf(error)}.`, { cause: error })
    : translated(error);
}

/** Whether the server refuses requests that it accepted before: permissions removed, bucket deleted, storage full. */
function isRefusal(error: unknown): boolean {
  const status = statusOf(error);
  if (status === undefined || missing.has(nameOf(error))) return false;
  return [401, 403, 404, 507].includes(status) || /Quota|StorageFull|InsufficientStorage/i.test(nameOf(error));
}

function isOutage(error: unknown): boolean {
  if (isNetworkError(error) || passingNames.has(nameOf(error))) return true;
  return passingStatuses.has(statusOf(error) ?? 0);
}

/** Returns the HTTP status of a refusal. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof S3Refused ? error.status : undefined;
}

/** Resolves with the result, or with `undefined` if the object or upload does not exist. */
export async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (missing.has(nameOf(error))) return undefined;
    throw error;
  }
}

const missing = new Set(['NotFound', 'NoSuchKey', 'NoSuchUpload']);

const elsewhere = 'the bucket is in another region than the one given';
const reasons: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket',
  InvalidBucketName: 'a bucket cannot have this name',
  SignatureDoesNotMatch: 'the secret access key is wrong',
  InvalidAccessKeyId: 'the access key is not known to the server',
  AccessDenied: 'the credentials do not allow listing it (s3:ListBucket)',
  ExpiredToken: 'the session of the credentials has expired',
  InvalidToken: 'the session token of the credentials is wrong',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  PermanentRedirect: elsewhere,
  AuthorizationHeaderMalformed: elsewhere,
  CredentialsProviderError: 'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
};

/** Explains in one line why a bucket cannot be opened. Returns `Unavailable` if a later attempt may succeed. */
export function explained(error: unknown, bucket: string, endpoint: string): Error {
  const message = `The bucket ${bucket} at ${endpoint} cannot be used: ${reasonOf(error)}.`;
  const isMissing = nameOf(error) === 'CredentialsProviderError';
  return isOutage(error) && !isMissing
    ? new Unavailable(message, { cause: error })
    : new Error(message, { cause: error });
}

function reasonOf(error: unknown): string {
  const known = reasons[nameOf(error)];
  if (known !== undefined) return known;
  if (isNetworkError(error)) return `the endpoint cannot be reached (${codeOf(error)})`;
  if (['TimeoutError', 'AbortError', silentName].includes(nameOf(error))) return 'the endpoint does not answer in time';
  const status = statusOf(error);
  if (status === 403) return 'the credentials are refused';
  const message = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return status === undefined ? `${message}` : `it returned ${status} ${nameOf(error)}: ${message}`;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
