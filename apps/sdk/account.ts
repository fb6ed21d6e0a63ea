import { AccountFailure, readAnswer } from './account/failure.ts';
import { send } from './account/send.ts';
import type {
  AnswerOf,
  CallOptions,
  ItemOf,
  ListPath,
  Method,
  OptionsOf,
  PathWith,
  Progress,
  Rest,
} from './account/types.ts';
import { fieldOf } from './guard/answer.ts';

export type { FailureCode } from './account/api.ts';
export { AccountFailure, type NoAnswer } from './account/failure.ts';
export type { CallOptions, FileLike, Progress } from './account/types.ts';

export interface AccountOptions {
  /** The address of the server, such as `https://api.example.com`. */
  readonly url: string;
  readonly apiKey: string;
}

type Call<M extends Method> = <P extends PathWith<M>>(
  path: P,
  ...rest: Rest<OptionsOf<P, M>>
) => Promise<AnswerOf<P, M>>;

/**
 * Calls of the account API: the paths of the reference, with their parts in braces. Throws `AccountFailure`. Repeats a
 * call once if it was certainly not carried out, and the server wants at most 10 seconds of rest before.
 */
export interface AccountClient {
  readonly get: Call<'get'>;
  readonly post: Call<'post'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** Returns all items of a list, and reads its pages as they are needed. */
  each<P extends ListPath>(path: P, ...rest: Rest<OptionsOf<P, 'get'>>): AsyncGenerator<ItemOf<P>, void, undefined>;
}

/** The options of calls, for any path. */
interface AnyOptions extends CallOptions {
  readonly path?: object;
  readonly query?: object;
  readonly body?: unknown;
  readonly csv?: string;
  readonly form?: object;
  readonly onProgress?: (progress: Progress) => void;
}

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };
declare const setTimeout: (act: () => void, milliseconds: number) => unknown;

/** Seconds. */
const longestRest = 10;

export function createAccountClient({ url, apiKey }: AccountOptions): AccountClient {
  const base = String(url).replace(/\/+$/, '');
  if (!/^https?:\/\/./i.test(base)) throw new TypeError('createAccountClient: url is missing or wrong.');
  if (!apiKey) throw new TypeError('createAccountClient: apiKey is missing.');

  async function call(method: string, path: string, options: AnyOptions = {}): Promise<unknown> {
    const { body, csv, form, onProgress, signal } = options;
    const idempotencyKey = method === 'POST' ? (options.idempotencyKey ?? randomKey()) : undefined;
    const sent = {
      method,
      url: base + fill(path, options.path) + queryOf(options.query),
      headers: {
        'X-API-Key': apiKey,
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(csv !== undefined && { 'Content-Type': 'text/csv' }),
      },
      body: csv ?? (body === undefined ? undefined : JSON.stringify(body)),
      form: form && Object.fromEntries(Object.entries(form)),
      onProgress,
      signal,
      timeout: options.timeout ?? (form ? undefined : 30_000),
      idempotencyKey,
    };
    try {
      return readAnswer(await send(sent), idempotencyKey);
    } catch (failure) {
      const rest = failure instanceof AccountFailure ? restBefore(method, failure) : undefined;
      if (rest === undefined) throw failure;
      await new Promise<void>((resolve) => setTimeout(resolve, 1000 * rest));
      return readAnswer(await send(sent), idempotencyKey);
    }
  }

  async function* each(path: string, options: AnyOptions = {}): AsyncGenerator<unknown, void, undefined> {
    let next: object | undefined = {};
    while (next) {
      const page = await call('GET', path, { ...options, query: { ...options.query, ...next } });
      const items = fieldOf(page, 'data');
      if (Array.isArray(items)) yield* items;
      next = nextPage(page);
    }
  }

  const calling =
    (method: string) =>
    (path: string, options?: AnyOptions): Promise<unknown> =>
      call(method, path, options);
  return {
    get: calling('GET'),
    post: calling('POST'),
    patch: calling('PATCH'),
    delete: calling('DELETE'),
    each,
  } as AccountClient;
}

/** Seconds to wait before the call is repeated. `undefined` if it must not be. */
function restBefore(method: string, { status, code, retryAfter }: AccountFailure): number | undefined {
  const isRefusedForNow = (status === 429 || status === 503) && retryAfter !== undefined && retryAfter <= longestRest;
  if (isRefusedForNow) return retryAfter;
  return method === 'GET' && (code === 'NETWORK' || status === 502 || status === 503 || status === 504) ? 1 : undefined;
}

/** The parameters of the next page, by cursor or by number. */
function nextPage(page: unknown): object | undefined {
  const cursor = fieldOf(page, 'next_cursor');
  if (typeof cursor === 'string') return { cursor };
  const [current, last] = [fieldOf(page, 'current_page'), fieldOf(page, 'last_page')];
  return typeof current === 'number' && typeof last === 'number' && current < last ? { page: current + 1 } : undefined;
}

function fill(path: string, parts: object = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const part = fieldOf(parts, name);
    if (part === undefined || part === '') throw new TypeError(`The path needs ${name}.`);
    return encodeURIComponent(String(part));
  });
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return text && `?${text}`;
}

/** 128 random bits. `crypto.randomUUID` does not exist on pages without https. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
