import { S3ServiceException } from '@aws-sdk/client-s3';

/**
 * A refusal by an S3 server. The server's response may repeat the access key id and the session token of the request.
 * This error does not keep them, so that they cannot get into a log.
 */
export class S3Refused extends Error {
  override readonly name: string;
  /** The HTTP status. */
  readonly status: number | undefined;
  /** The server's operators can use it to find the request. */
  readonly requestId: string | undefined;

  constructor(name: string, message: string, status: number | undefined, requestId: string | undefined) {
    super(message);
    this.name = name;
    this.status = status;
    this.requestId = requestId;
  }
}

/** In characters. Longer messages are cut off: they are usually HTML pages of some other server. */
const longestMessage = 300;

/** Converts an error of the SDK to `S3Refused`. Returns other errors as they are. */
export function withoutRequest(error: unknown): unknown {
  if (!(error instanceof S3ServiceException)) return error;
  const { httpStatusCode, requestId } = error.$metadata;
  const [line = ''] = error.message.split('\n', 1);
  return new S3Refused(error.name, line.slice(0, longestMessage), httpStatusCode, requestId);
}

/** In characters. Shorter secrets are not removed, because they could be a part of an ordinary word. */
const shortestSecret = 6;

/** Removes the credentials of the request from the error's message. */
export function hideCredentials(error: unknown, request: unknown): unknown {
  if (!(error instanceof Error)) return error;
  for (const secret of credentialsIn(request)) error.message = error.message.replaceAll(secret, '…');
  return error;
}

function credentialsIn(request: unknown): string[] {
  if (typeof request !== 'object' || request === null || !('headers' in request)) return [];
  const { authorization = '', 'x-amz-security-token': token } = request.headers as Partial<Record<string, string>>;
  const [, accessKeyId] = /Credential=([^/,\s]+)/.exec(authorization) ?? [];
  const [, signature] = /Signature=(\w+)/.exec(authorization) ?? [];
  return [token, accessKeyId, signature].flatMap((text = '') => (text.length >= shortestSecret ? [text] : []));
}
