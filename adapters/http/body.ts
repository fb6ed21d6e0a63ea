import type { IncomingMessage } from 'node:http';
import parse from 'co-body/lib/json.js';
import { Failure } from './failures.ts';
import type { Context } from './state.ts';

const limit = '64kb';
/** Timeout for a JSON body, in milliseconds. Uploads have the longer timeout of the server. */
const bodyTimeout = 10_000;

export function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Returns the JSON object in the request body, or an empty object if there is no body. */
export async function readJson(ctx: Context): Promise<object> {
  if (ctx.request.length === 0) return {};
  if (ctx.request.is('json', '+json') === false) throw new Failure('unsupported_media_type');
  const body = await inTime(parse(ctx.req, { limit }).catch(refuse));
  if (Array.isArray(body)) throw new Failure('bad_request', { detail: 'The request body must be a JSON object.' });
  return body;
}

function refuse(error: unknown): never {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) throw new Failure('payload_too_large', { detail: `A JSON body may have at most ${limit}.` });
  if (status === 415) throw new Failure('unsupported_media_type');
  throw new Failure('bad_request', { detail: 'The request body is not valid JSON.', cause: error });
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure('request_timeout', { headers: { Connection: 'close' } })), bodyTimeout);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
