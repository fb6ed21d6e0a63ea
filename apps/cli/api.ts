import { type Connection, connect, type GlobalOptions } from './connection.ts';
import manifest from './package.json' with { type: 'json' };
import { Stop } from './stop.ts';

/** The values of a query. What is undefined is not sent. */
export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly query?: Query | undefined;
  readonly json?: unknown;
  /** Text in CSV. */
  readonly csv?: string;
  /** Breaks off the call. */
  readonly signal?: AbortSignal;
}

/** An answer of the server. The commands know its fields from the API reference. */
// biome-ignore lint/suspicious/noExplicitAny: the server is newer or older than this program, so no type can be sure.
export type Answer = any;

/** Calls the account API with the key of the person. */
export interface Api extends Pick<Connection, 'server' | 'credential' | 'key'> {
  call(path: string, request?: Request): Promise<Answer>;
  /** Returns the items of a list with pages, at most `most` items. */
  list(path: string, query: Query, most: number): Promise<Answer[]>;
  /** Returns the header `RateLimit` of the last success of `call` or `list`. */
  rateLimit(): string | null;
  /** Returns the answer of a call whose body is read in pieces. */
  stream(path: string, request?: Request): Promise<Response>;
}

export const userAgent = `latchkey-cli/${manifest.version}`;
const patience = 60_000;
const largestPage = 100;

export async function openApi(options: GlobalOptions): Promise<Api> {
  const connection = await connect(options);
  let limits: string | null = null;
  const call: Api['call'] = async (path, request) => {
    const response = await send(connection, path, request);
    limits = response.headers.get('RateLimit');
    return await readJson(response);
  };
  return {
    ...connection,
    call,
    rateLimit: () => limits,
    stream: (path, request) => send(connection, path, request),
    async list(path, query, most) {
      const found: Answer[] = [];
      let cursor: string | undefined;
      do {
        const limit = Math.min(largestPage, most - found.length);
        const page = await call(path, { query: { ...query, limit, cursor } });
        found.push(...page.data);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined && found.length < most);
      return found;
    },
  };
}

/** Calls a server. Throws `Stop` unless the answer is a success. */
export async function send(
  { server, key }: { readonly server: string; readonly key?: string },
  path: string,
  request: Request = {},
): Promise<Response> {
  const response = await ask({ server, ...(key !== undefined && { key }) }, path, request);
  if (response.ok) return response;
  throw refusalOf(server, response.status, await response.text(), waitOf(response));
}

/** What `Retry-After` asks for, in milliseconds. */
function waitOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}

/** Calls a server, and returns refusals as they are. */
export async function ask(
  { server, key }: { readonly server: string; readonly key?: string },
  path: string,
  { method = 'GET', query = {}, json, csv, signal }: Request = {},
): Promise<Response> {
  const url = new URL(path, server);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const headers = {
    'User-Agent': userAgent,
    Accept: 'application/json, text/csv',
    ...(key !== undefined && { 'X-API-Key': key }),
    ...(json !== undefined && { 'Content-Type': 'application/json' }),
    ...(csv !== undefined && { 'Content-Type': 'text/csv' }),
    ...(method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }),
  };
  const body = csv ?? (json === undefined ? undefined : JSON.stringify(json));
  const response = await fetch(url, {
    method,
    headers,
    // Otherwise the key would also go to the server that the answer names.
    redirect: 'manual',
    signal: AbortSignal.any([AbortSignal.timeout(patience), ...(signal ? [signal] : [])]),
    ...(body !== undefined && { body }),
  }).catch((error: unknown) => {
    throw unreachable(server, error);
  });
  if (response.status >= 300 && response.status < 400) {
    throw new Stop(
      'failed',
      `${server} leads to another address: ${response.headers.get('Location')}.`,
      'Use that address with --server.',
    );
  }
  return response;
}

export function unreachable(server: string, error: unknown): Stop {
  const { name, cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  const why = name === 'TimeoutError' ? 'it does not answer' : (cause?.code ?? cause?.message ?? message);
  return new Stop(
    'failed',
    `${server} cannot be reached: ${why}.`,
    'Check the address and your connection, and try again.',
  );
}

export async function readJson(response: Response): Promise<Answer> {
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
  QUOTA_EXCEEDED: 'Delete old versions, or ask for a larger plan.',
  NOT_PURCHASED: 'Buy it on the site. "latchkey open" shows it.',
  CONFLICT: 'Look at the present state with "show", and try again.',
};

export function refusalOf(server: string, status: number, text: string, wait?: number): Stop {
  const error = errorIn(text);
  if (status === 401) {
    return new Stop(
      'notSignedIn',
      `${server} does not accept the API key: it was revoked, has expired, or belongs to another server.`,
      `Run "latchkey login --server ${server}".`,
    );
  }
  if (error === undefined) {
    return new Stop(
      status >= 500 ? 'failed' : 'refused',
      `${server} answered with status ${status}.`,
      'Is this the address of a Latchkey server?',
      wait,
    );
  }
  const fields = Object.entries(error.fields ?? {}).map(([name, faults]) => `\n  ${name}: ${faults.join(' ')}`);
  const lines = (error.faults ?? []).map(({ line, message }) => `\n  line ${line}: ${message}`);
  return new Stop(
    status >= 500 ? 'failed' : 'refused',
    `${error.message}${fields.join('')}${lines.join('')}`,
    advice[error.code],
    wait,
  );
}

interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly interval?: number;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly faults?: readonly { readonly line: number; readonly message: string }[];
}

export function errorIn(text: string): ApiError | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: ApiError };
    return typeof error?.message === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
