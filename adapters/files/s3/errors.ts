import { Unavailable } from '../../../core/unavailable.ts';
import { codeOf, isNetworkError, networkTroubleOf } from '../../system-error.ts';
import { translated } from '../errors.ts';
import { S3Refused } from './refused.ts';

/** The name of the error when a server stays silent too long. If it were `TimeoutError`, the SDK would ask twice more. */
const silentName = 'SilentServer';

/** A time-out as an error that is not tried again; any other error as it is. The SDK calls broken connections time-outs, too. */
export function notRetried(error: unknown): unknown {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError' && networkTroubleOf(error) !== 'broken';
  return isTimeout ? silent(error.message) : error;
}

/** Without a cause: the SDK would look at that, too. */
export function silent(message: string): Error {
  const error = new Error(message);
  error.name = silentName;
  return error;
}

/** Whether a server was silent for too long. */
export function isSilence(error: unknown): boolean {
  return nameOf(error) === silentName;
}

/** Whether a request was given up before it was answered. */
export function isAborted(error: unknown): boolean {
  return nameOf(error) === 'AbortError';
}

/** What servers and the SDK call what may be gone in a moment, whatever the status. */
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

/** Runs the work; an outage of S3 or of the file system that it ends in is thrown as `Unavailable`. */
export async function translateS3<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translatedS3(error);
  }
}

/** `Unavailable`, which tells why, for an outage or a refusal of S3 or an outage of the file system, else the error as it is. */
export function translatedS3(error: unknown): unknown {
  return isOutage(error) || isRefusal(error)
    ? new Unavailable(`The file storage cannot be used: ${reasonOf(error)}.`, { cause: error })
    : translated(error);
}

/** Whether a server that could be used once now refuses: rights taken away, the bucket gone, no room left. */
function isRefusal(error: unknown): boolean {
  const status = statusOf(error);
  if (status === undefined || missing.has(nameOf(error))) return false;
  return [401, 403, 404, 507].includes(status) || /Quota|StorageFull|InsufficientStorage/i.test(nameOf(error));
}

function isOutage(error: unknown): boolean {
  if (isNetworkError(error) || passingNames.has(nameOf(error))) return true;
  return passingStatuses.has(statusOf(error) ?? 0);
}

/** The HTTP status of a server's refusal. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof S3Refused ? error.status : undefined;
}

/** The answer, or `undefined` where there is no such object or upload. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (missing.has(nameOf(error))) return undefined;
    throw error;
  }
}

const missing = new Set(['NotFound', 'NoSuchKey', 'NoSuchUpload']);

const elsewhere = 'the bucket is in another region than the one given';
const reasons: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket',
  InvalidBucketName: 'there cannot be a bucket of that name',
  SignatureDoesNotMatch: 'the secret access key is wrong',
  InvalidAccessKeyId: 'the access key is not known there',
  AccessDenied: 'the credentials do not allow to list it (s3:ListBucket)',
  ExpiredToken: 'the session of the credentials is over',
  InvalidToken: 'the session token of the credentials is wrong',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  PermanentRedirect: elsewhere,
  AuthorizationHeaderMalformed: elsewhere,
  CredentialsProviderError: 'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
};

/** One line for a person about a bucket that could not be opened; `Unavailable` where it may be opened in a moment. */
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
  const said = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return status === undefined ? `${said}` : `it answers ${status} ${nameOf(error)}: ${said}`;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
