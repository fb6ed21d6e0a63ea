import { S3ServiceException } from '@aws-sdk/client-s3';

/**
 * A refusal of an S3 server. The server's answer may repeat the access key id and the session token of the request. None of that is
 * kept here, so that it cannot get into a log.
 */
export class S3Refused extends Error {
  override readonly name: string;
  /** Of HTTP. */
  readonly status: number | undefined;
  /** The operators of the server can find the request by it. */
  readonly requestId: string | undefined;

  constructor(name: string, message: string, status: number | undefined, requestId: string | undefined) {
    super(message);
    this.name = name;
    this.status = status;
    this.requestId = requestId;
  }
}

/** Characters; longer messages hold pages of some other server. */
const longest = 300;

/** The refusal alone, if it is one, else the error as it is. */
export function withoutRequest(error: unknown): unknown {
  if (!(error instanceof S3ServiceException)) return error;
  const { httpStatusCode, requestId } = error.$metadata;
  const [line = ''] = error.message.split('\n', 1);
  return new S3Refused(error.name, line.slice(0, longest), httpStatusCode, requestId);
}

/** Characters; less cannot be told from words. */
const shortest = 6;

/** The error, without the credentials of the request that its message may repeat. */
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
  return [token, accessKeyId, signature].flatMap((text = '') => (text.length >= shortest ? [text] : []));
}
