import { type LineName, lineTitle } from '../../core/selling/foreign-export.ts';
import type { Calls } from '../sdk/account/api.ts';
import { type AnyOptions, clientOf } from '../sdk/account/client.ts';
import type { AnswerOf, ItemOf, ListPath, Method, OptionsOf, PathWith } from '../sdk/account/types.ts';
import { type Connection, connect, type GlobalOptions, type ServerAccess } from './connection.ts';
import { environment } from './environment.ts';
import manifest from './package.json' with { type: 'json' };
import { Stop } from './stop.ts';
import { within } from './within.ts';

export interface Request {
  readonly method?: string;
  readonly json?: unknown;
  /** Breaks off the call. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the whole answer must be there. Default: a minute. */
  readonly patience?: number | undefined;
}

/** An answer that has been read. */
export type Reply = Pick<Response, 'status' | 'ok' | 'url' | 'headers' | 'text'>;

/** People type texts where the API names a few: the server checks them. What is undefined is not sent. */
type Typed<T> = T extends string
  ? string
  : T extends readonly (infer One)[]
    ? readonly Typed<One>[]
    : T extends object
      ? { readonly [K in keyof T]: Typed<T[K]> | (T extends Record<K, T[K]> ? never : undefined) }
      : T;

/** The options of one call: the parts of its path, its query and its body. */
type Options<P extends keyof Calls, M extends Method> = Typed<Pick<OptionsOf<P, M>, 'path' | 'query' | 'body'>> & {
  readonly signal?: AbortSignal;
  /** Milliseconds until the whole answer must be there. Default: a minute. */
  readonly timeout?: number;
};

type Call<M extends Method> = <P extends PathWith<M>>(
  path: P,
  ...rest: object extends Options<P, M> ? [options?: Options<P, M>] : [options: Options<P, M>]
) => Promise<AnswerOf<P, M>>;

/** Calls of the account API, whose types come from the routes. Throws `Stop`. */
export interface Client {
  readonly get: Call<'get'>;
  readonly post: Call<'post'>;
  readonly delete: Call<'delete'>;
}

/** Calls the account API with the key of the person. */
export interface Api extends Client, Connection {
  /** Returns the items of a list with pages, at most `most` items. */
  list<P extends ListPath>(path: P, options: Options<P, 'get'> & AnyOptions, most: number): Promise<ItemOf<P>[]>;
  /** Returns the header `RateLimit` of the last success of a call or list. */
  rateLimit(): string | null;
}

export const userAgent = `latchkey-cli/${manifest.version}`;
const usualPatience = 60_000;
const largestPage = 100;

export async function openApi(options: GlobalOptions): Promise<Api> {
  const connection = await connect(options);
  let limits: string | null = null;
  const { each, ...calls } = callsOf(connection, (response) => {
    limits = response.headers.get('RateLimit');
  });
  return {
    ...connection,
    ...calls,
    rateLimit: () => limits,
    async list<P extends ListPath>(path: P, wanted: AnyOptions, most: number) {
      const found: ItemOf<P>[] = [];
      const limit = Math.min(largestPage, most);
      for await (const item of each<ItemOf<P>>(path, { ...wanted, query: { ...wanted.query, limit } })) {
        found.push(item);
        if (found.length === most) break;
      }
      return found;
    },
  };
}

interface Lists {
  each<Item>(path: string, options: AnyOptions): AsyncGenerator<Item, void, undefined>;
}

/** `answered` gets each answer that is a success. */
export function callsOf(place: ServerAccess, answered: (response: Reply) => void = () => undefined): Client & Lists {
  return clientOf(async (method, address, { body, signal, timeout }) => {
    const response = await send(place, address, { method, json: body, signal, patience: timeout });
    answered(response);
    return await readJson(response);
  });
}

/** Returns the answer of a call whose body is read in pieces. Only its beginning must come in time. */
export async function stream(place: ServerAccess, address: string): Promise<Response> {
  return await reach(place, address, {}, async (response) => {
    if (response.ok) return response;
    throw refusalOf(place, response.status, await response.text(), waitOf(response));
  });
}

/** Calls a server. Throws `Stop` unless the answer is a success. */
async function send(place: ServerAccess, path: string, request: Request = {}): Promise<Reply> {
  const response = await ask(place, path, request);
  if (response.ok) return response;
  throw refusalOf(place, response.status, await response.text(), waitOf(response));
}

function waitOf({ headers }: Pick<Response, 'headers'>): number | undefined {
  return readWait(headers.get('Retry-After') ?? undefined);
}

/** What `Retry-After` asks for, in milliseconds. */
export function readWait(retryAfter: string | undefined): number | undefined {
  const seconds = Number(retryAfter ?? Number.NaN);
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}

/** Calls a server, and returns refusals as they are. */
export async function ask(to: ServerAccess, path: string, request?: Request): Promise<Reply> {
  return await reach(to, path, request, async (response) => {
    const { status, ok, url, headers } = response;
    const text = await response.text();
    return { status, ok, url, headers, text: async () => text };
  });
}

/** Calls a server, and takes its answer. Both must be done in time. */
async function reach<T>(
  { server, key }: ServerAccess,
  path: string,
  { method = 'GET', json, signal: stop, patience = usualPatience }: Request = {},
  take: (response: Response) => Promise<T>,
): Promise<T> {
  const url = new URL(path, server);
  const headers = {
    'User-Agent': userAgent,
    Accept: 'application/json, text/csv',
    ...(key !== undefined && { 'X-API-Key': key }),
    ...(json !== undefined && { 'Content-Type': 'application/json' }),
    ...(method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }),
  };
  const body = json === undefined ? undefined : JSON.stringify(json);
  return await within(patience, stop, async (signal) => {
    // Otherwise the key would also go to the server that the answer names.
    const redirect = 'manual';
    const response = await fetch(url, { method, headers, redirect, signal, ...(body !== undefined && { body }) });
    if (response.status >= 300 && response.status < 400) {
      throw new Stop(
        'failed',
        `${server} leads to another address: ${response.headers.get('Location')}.`,
        'Use that address with --server.',
      );
    }
    return await take(response);
  }).catch((error: unknown) => {
    throw error instanceof Stop ? error : unreachable(server, error);
  });
}

/** The code of the failure if there was no answer. */
export const unreachableCode = 'unreachable';

export function unreachable(server: string, error: unknown): Stop {
  const { name, cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  const why = name === 'TimeoutError' ? 'it does not answer' : (cause?.code ?? cause?.message ?? message);
  return new Stop(
    'failed',
    `${server} cannot be reached: ${why}.`,
    'Check the address and your connection, and try again.',
    undefined,
    { code: unreachableCode },
  );
}

async function readJson(response: Pick<Response, 'url' | 'text'>): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Stop('failed', `${response.url} did not answer with JSON.`, 'Is this the address of a Latchkey server?');
  }
}

/** Advice after some refusals, by code. */
const advice: Readonly<Record<string, string>> = {
  FORBIDDEN: 'Sign in with "latchkey login" and without --scopes, or with a scope that allows this call.',
  RATE_LIMITED: 'Wait a moment, and try again.',
  QUOTA_EXCEEDED: 'Use "latchkey products delete-version", or ask for a larger plan.',
  NOT_PURCHASED: 'Buy it on the site. "latchkey open" shows it.',
  CONFLICT: 'Look at the present state with "show", and try again.',
};

/** `lines`: what the numbers of lines count, if the refusal can name faults of a file. */
export function refusalOf(
  { server, origin }: ServerAccess,
  status: number,
  text: string,
  wait?: number,
  lines: LineName = 'line',
): Stop {
  const error = errorIn(text);
  if (status === 401) {
    return new Stop(
      'notSignedIn',
      `${server} does not accept the API key: it was revoked, has expired, or belongs to another server.`,
      `${origin === undefined ? '' : `${origin} `}${wayOf(server)}`,
      undefined,
      { code: error?.code ?? 'UNAUTHORIZED' },
    );
  }
  if (error === undefined) {
    return new Stop(
      status >= 500 ? 'failed' : 'refused',
      `${server} answered with status ${status}.`,
      'Is this the address of a Latchkey server?',
      wait,
      { status },
    );
  }
  const fields = Object.entries(error.fields ?? {}).map(([name, texts]) => `\n  ${name}: ${texts.join(' ')}`);
  const faults = (error.faults ?? []).map(({ line, message }) => `\n  ${lineTitle(lines, line)}: ${message}`);
  return new Stop(
    status >= 500 ? 'failed' : 'refused',
    `${error.message}${fields.join('')}${faults.join('')}`,
    advice[error.code],
    wait,
    { ...error },
  );
}

/** A sign-in is not used while the key comes from the environment. */
function wayOf(server: string): string {
  return environment.LATCHKEY_API_KEY
    ? `Set LATCHKEY_API_KEY to a key of this server, or unset it and run "latchkey login --server ${server}".`
    : `Run "latchkey login --server ${server}".`;
}

interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly interval?: number;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly faults?: readonly { readonly line: number; readonly message: string }[];
}

function errorIn(text: string): ApiError | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: ApiError };
    return typeof error?.message === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
