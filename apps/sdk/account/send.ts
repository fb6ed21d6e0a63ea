import { AccountFailure, type Received } from './failure.ts';
import type { FileLike, Progress } from './types.ts';

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  readonly form?: Readonly<Record<string, unknown>> | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: Signal | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  /** For the failure, if there is one. */
  readonly idempotencyKey?: string | undefined;
}

interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', act: () => void): void;
  removeEventListener(type: 'abort', act: () => void): void;
}

interface Form {
  append(name: string, value: unknown): void;
}

interface Bytes {
  readonly byteLength: number;
}

interface Stream {
  pipeThrough(other: object): object;
}

interface Xhr {
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  readonly status: number;
  readonly responseText: string;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(form: Form): void;
  abort(): void;
}

interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: Stream | null;
  text(): Promise<string>;
}

declare const AbortController: new () => { abort(): void; readonly signal: unknown };
declare const FormData: new () => Form;
declare const Response: new (body: Form) => Answer;
declare const TransformStream: new (transformer: {
  transform(chunk: Bytes, controller: { enqueue(chunk: Bytes): void }): void;
}) => object;
declare const XMLHttpRequest: (new () => Xhr) | undefined;
declare const clearTimeout: (timer: unknown) => void;
declare const fetch: (url: string, request: object) => Promise<Answer>;
declare const setTimeout: (act: () => void, milliseconds: number) => unknown;

/** Sends one request. Throws an `AccountFailure` if there is no answer, and the reason of the signal if it aborts. */
export async function send(sent: Sent): Promise<Received> {
  const { signal, timeout, idempotencyKey } = sent;
  if (signal?.aborted) throw signal.reason;
  const stop = new AbortController();
  let isLate = false;
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => {
          isLate = true;
          stop.abort();
        }, timeout);
  const abort = () => stop.abort();
  signal?.addEventListener('abort', abort);
  try {
    // In browsers, only `XMLHttpRequest` reports how much has been sent.
    const byXhr = sent.form && sent.onProgress && typeof XMLHttpRequest !== 'undefined';
    return await (byXhr ? sendByXhr(sent, new XMLHttpRequest()) : sendByFetch(sent, stop.signal));
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (isLate) throw new AccountFailure('TIMEOUT', 'The server did not answer in time.', { cause, idempotencyKey });
    throw new AccountFailure('NETWORK', 'The server could not be reached.', { cause, idempotencyKey });
  } finally {
    if (timer !== undefined) clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

async function sendByFetch({ url, method, headers, body, form, onProgress }: Sent, signal: unknown): Promise<Received> {
  const data = form && toFormData(form);
  const counted = data && onProgress ? countedBody(data, sizeOf(form), onProgress) : {};
  const response = await fetch(url, { method, headers, body: data ?? body, signal, ...added(counted, headers) });
  return { status: response.status, header: (name) => response.headers.get(name), text: await response.text() };
}

/** A body of bytes needs the type that the form itself would have. */
function added({ type, ...rest }: { type?: string; body?: object }, headers: Record<string, string>): object {
  return type === undefined ? {} : { ...rest, duplex: 'half', headers: { ...headers, 'Content-Type': type } };
}

function countedBody(data: Form, total: number, onProgress: (progress: Progress) => void) {
  const encoded = new Response(data);
  let sent = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      sent += chunk.byteLength;
      onProgress({ sent: Math.min(sent, total), total });
      controller.enqueue(chunk);
    },
  });
  const body = encoded.body?.pipeThrough(count);
  return { type: encoded.headers.get('content-type') ?? '', ...(body && { body }) };
}

function sendByXhr({ url, method, headers, form = {}, onProgress, signal }: Sent, xhr: Xhr): Promise<Received> {
  const total = sizeOf(form);
  return new Promise((resolve, reject) => {
    const abort = () => xhr.abort();
    const failed = () => reject(new Error('The upload failed.'));
    signal?.addEventListener('abort', abort);
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded }) => onProgress?.({ sent: Math.min(loaded, total), total });
    xhr.onload = () =>
      resolve({ status: xhr.status, header: (name) => xhr.getResponseHeader(name), text: xhr.responseText });
    xhr.onerror = failed;
    xhr.onabort = failed;
    xhr.send(toFormData(form));
  });
}

function toFormData(fields: Readonly<Record<string, unknown>>): Form {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  return form;
}

function sizeOf(fields: Readonly<Record<string, unknown>> = {}): number {
  const sizes = Object.values(fields).map((value) => (isFile(value) ? value.size : String(value ?? '').length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function isFile(value: unknown): value is FileLike {
  return typeof value === 'object' && value !== null && 'size' in value;
}
