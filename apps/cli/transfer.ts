import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { access, rename, rm, stat } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { basename, dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fill } from '../sdk/account/client.ts';
import type { AnswerOf, PathWith } from '../sdk/account/types.ts';
import { refusalOf, unreachable, userAgent } from './api.ts';
import type { Connection } from './connection.ts';
import { startProgress } from './output.ts';
import { Stop } from './stop.ts';

/** Milliseconds without a sign of the server after which an upload ends. A server checks large files before it answers. */
const usualSilence = 300_000;

/** Counts the bytes that pass. */
export function counting(at: (done: number) => void): Transform {
  let done = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      done += chunk.length;
      at(done);
      next(null, chunk);
    },
  });
}

/** Downloads a file. It appears under its name only when it is complete. */
export async function download(url: string, to: string, isForced: boolean | undefined): Promise<void> {
  if (!isForced && (await exists(to))) {
    throw new Stop(
      'wrongUsage',
      `${to} exists already.`,
      'Use --out to choose another name, or --force to replace it.',
    );
  }
  const response = await fetch(url, { headers: { 'User-Agent': userAgent } }).catch((error: unknown) => {
    throw unreachable(new URL(url).origin, error);
  });
  if (!response.ok || response.body === null)
    throw refusalOf({ server: new URL(url).origin }, response.status, await response.text());
  const total = Number(response.headers.get('Content-Length')) || undefined;
  const progress = startProgress(basename(to), total);
  const draft = join(dirname(to), `.${basename(to)}.${randomUUID()}`);
  try {
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    await pipeline(body, counting(progress.at), createWriteStream(draft, { flags: 'wx' }));
    await rename(draft, to);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    progress.end();
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

function startOf(boundary: string, name: string, more = ''): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
}

/** Returns the type of a form with these texts and one file, and what comes before and after the content of the file. */
export function formAround(texts: Readonly<Record<string, string>>, file: string, type: string) {
  const boundary = `latchkey-${randomUUID()}`;
  const first = Object.entries(texts).map(([name, value]) => `${startOf(boundary, name)}${value}\r\n`);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    before: `${first.join('')}${startOf(boundary, file, `; filename="file"\r\nContent-Type: ${type}`)}`,
    after: `\r\n--${boundary}--\r\n`,
  };
}

/** Sends a form with files, and shows how much has been sent. `parts` are those of the path, `files` are paths by field. */
export async function upload<P extends PathWith<'post'>>(
  { server, key, origin }: Connection,
  path: P,
  parts: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, string | undefined>>,
  files: Readonly<Record<string, string>>,
  silence = usualSilence,
): Promise<AnswerOf<P, 'post'>> {
  const boundary = `latchkey-${randomUUID()}`;
  const pieces: (string | { readonly path: string; readonly size: number })[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    pieces.push(`${startOf(boundary, name)}${value}\r\n`);
  }
  for (const [name, file] of Object.entries(files)) {
    const { size } = await stat(file);
    const filename = basename(file).replaceAll(/["\\\r\n]/g, '_');
    pieces.push(
      startOf(boundary, name, `; filename="${filename}"\r\nContent-Type: application/octet-stream`),
      { path: file, size },
      '\r\n',
    );
  }
  pieces.push(`--${boundary}--\r\n`);
  const total = pieces.reduce((sum, one) => sum + (typeof one === 'string' ? Buffer.byteLength(one) : one.size), 0);
  const headers = {
    'User-Agent': userAgent,
    'X-API-Key': key,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Content-Length': total,
    'Idempotency-Key': randomUUID(),
  };
  const progress = startProgress('Uploading', total);
  try {
    const counter = counting(progress.at);
    const { status, text } = await post(new URL(fill(path, parts), server), headers, content(pieces), counter, {
      silence,
    });
    if (status < 200 || status > 299) throw refusalOf({ server, origin }, status, text);
    return JSON.parse(text);
  } finally {
    progress.end();
  }
}

async function* content(pieces: readonly (string | { readonly path: string })[]): AsyncGenerator<Buffer> {
  for (const one of pieces) {
    if (typeof one === 'string') yield Buffer.from(one);
    else yield* createReadStream(one.path) as ReadStream & AsyncIterable<Buffer>;
  }
}

/**
 * Sends a body. A server may answer before it has read everything, such as when the file is too large. The call ends
 * after `silence` milliseconds without a sign of the server; without it, it may take any time. `stop` breaks it off.
 */
export function post(
  url: URL,
  headers: Record<string, string | number>,
  body: AsyncIterable<Buffer>,
  counter: Transform,
  { silence, stop }: { readonly silence?: number; readonly stop?: AbortSignal },
): Promise<{ status: number; text: string; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    let isAnswered = false;
    const fail = (error: unknown) => {
      if (!isAnswered) reject(unreachable(url.origin, error));
    };
    const request = open(url, { method: 'POST', headers, ...(stop && { signal: stop }) }, (response) => {
      isAnswered = true;
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', (error) => reject(unreachable(url.origin, error)));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
        request.destroy();
      });
    });
    request.on('error', fail);
    if (silence)
      request.setTimeout(silence, () => request.destroy(new DOMException('It took too long.', 'TimeoutError')));
    pipeline(Readable.from(body), counter, request).catch((error: NodeJS.ErrnoException) => {
      // A file that cannot be read is not the fault of the server.
      if (error.path !== undefined && !isAnswered) reject(error);
      else fail(error);
    });
  });
}
