import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import parse from 'co-body/lib/json.js';
import readText from 'co-body/lib/text.js';
import { decompressed } from './decompressed.ts';
import { Failure } from './failures.ts';
import type { Context } from './state.ts';

/** No form has this many names. No form and no JSON has this many values, also if many licenses are selected. */
const [mostNames, mostValues] = [500, 2_000];
const limit = '64kb';
const largeLimit = '256kb';
/** Of the fields of people who are signed in. 50,000 Chinese characters take 450,000 bytes. */
const largeFieldsLimit = '512kb';
const signedLimit = '1mb';
/** Timeout for a JSON body or the fields of a page, in milliseconds. Uploads have the longer timeout of the server. */
const bodyTimeout = 10_000;

export function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Returns the JSON object in the request body, or an empty object if there is no body. */
export async function readJson(ctx: Context, isLarge = false): Promise<object> {
  if (ctx.request.length === 0) return {};
  const most = isLarge ? largeLimit : limit;
  if (ctx.request.is('json', '+json') === false) throw new Failure('unsupported_media_type');
  const body = await decompressed(ctx.req, (stream) =>
    inTime(parse(plain(stream), { limit: most }).catch(refused('is not valid JSON', most))),
  );
  if (Array.isArray(body)) throw new Failure('bad_request', { detail: 'The request body must be a JSON object.' });
  if (hasMany(body)) throw new Failure('bad_request', { detail: 'The request body has too many values.' });
  return body;
}

/** Whether JSON has more values than any call takes. Each wrong one costs time, and verifications would wait meanwhile. */
function hasMany(body: object): boolean {
  const open: object[] = [body];
  let count = 0;
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const value of Object.values(one)) {
      count += 1;
      if (count > mostValues) return true;
      if (typeof value === 'object' && value !== null) open.push(value);
    }
  }
  return false;
}

/** Returns a JSON body as the very bytes that were sent, for a signature over them. It is not parsed. */
export async function readSigned(ctx: Context): Promise<Uint8Array> {
  const isJson = typeof ctx.request.is('json') === 'string';
  if (!isJson || ctx.get('Content-Encoding') !== '') throw new Failure('unsupported_media_type');
  const read = readText(ctx.req, { limit: signedLimit, encoding: null });
  return await inTime(read.catch(refused('cannot be read', signedLimit)));
}

/** Returns the fields of a form on a page. A name that occurs more than once has several values. */
export async function readFields(ctx: Context, isLarge = false): Promise<Record<string, string | string[]>> {
  if (ctx.request.length === 0) return {};
  if (ctx.request.is('urlencoded') === false) {
    throw new Failure('unsupported_media_type', { detail: 'The request body must be a form of a page.' });
  }
  const most = isLarge ? largeFieldsLimit : limit;
  const read = (stream: Readable) =>
    inTime(readText(plain(stream), { limit: most }).catch(refused('cannot be read', most)));
  return fieldsOf(new URLSearchParams(await decompressed(ctx.req, read)));
}

/** Returns the parameters of a client of another system by name: of a form or JSON, and of the query. The body has precedence. */
export async function readParameters(ctx: Context): Promise<Record<string, unknown>> {
  const read = ctx.request.is('urlencoded') ? readFields : readJson;
  return { ...ctx.query, ...(mayHaveBody(ctx.req) && (await read(ctx))) };
}

/** The parameters of a call that are single texts, by name. */
export type Texts = Readonly<Record<string, string>>;

/** Longer values name no product, license or site. */
export const longestText = 2048;

/** Returns the query and the form in the body, as PHP puts them together: the body has precedence. */
export async function readTexts(ctx: Context): Promise<Texts> {
  const given = { ...ctx.query, ...(ctx.method === 'POST' && mayHaveBody(ctx.req) && (await readFields(ctx))) };
  const texts = Object.entries(given).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value.replace(/\p{C}/gu, '').trim().slice(0, longestText)] as const] : [],
  );
  return Object.fromEntries(texts);
}

function fieldsOf(sent: URLSearchParams): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  let values = 0;
  for (const [name, value] of sent) {
    const before = fields.get(name);
    if (Array.isArray(before)) before.push(value);
    else fields.set(name, before === undefined ? value : [before, value]);
    values += 1;
    if (fields.size > mostNames || values > mostValues)
      throw new Failure('bad_request', { detail: 'The form has too many fields.' });
  }
  return Object.fromEntries(fields);
}

/** Without headers, `co-body` does not decompress the body a second time. */
function plain(body: Readable) {
  return body instanceof IncomingMessage ? body : Object.assign(body, { headers: {} });
}

function refused(fault: string, most = limit) {
  return (error: unknown): never => {
    const status = error instanceof Error && 'status' in error ? error.status : undefined;
    if (status === 413) throw new Failure('payload_too_large', { detail: `A request body may have at most ${most}.` });
    throw new Failure('bad_request', { detail: `The request body ${fault}.`, cause: error });
  };
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
