import { fieldOf } from '../guard/answer.ts';
import type { AnswerOf, CallOptions, ItemOf, ListPath, Method, OptionsOf, PathWith, Progress, Rest } from './types.ts';

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
  readonly put: Call<'put'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** Returns all items of a list, and reads its pages as they are needed. */
  each<P extends ListPath>(path: P, ...rest: Rest<OptionsOf<P, 'get'>>): AsyncGenerator<ItemOf<P>, void, undefined>;
}

/** The options of calls, for any path. */
export interface AnyOptions extends CallOptions {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly csv?: string;
  readonly form?: object;
  readonly onProgress?: (progress: Progress) => void;
}

/** Sends a call, and returns its answer: parsed JSON, or CSV as a text. `address`: the path with its query. */
export type Transport = (method: string, address: string, options: AnyOptions) => Promise<unknown>;

/** Makes the methods of a client of a transport. Their types, which come from the routes, are those of `Client`. */
export function clientOf<Client = AccountClient>(transport: Transport): Client {
  const calling =
    (method: string) =>
    async (path: string, options: AnyOptions = {}): Promise<unknown> =>
      await transport(method, fill(path, options.path) + queryOf(options.query), options);
  const get = calling('GET');

  async function* each(path: string, options: AnyOptions = {}): AsyncGenerator<unknown, void, undefined> {
    let next: object | undefined = {};
    while (next) {
      const page = await get(path, { ...options, query: { ...options.query, ...next } });
      const items = fieldOf(page, 'data');
      if (Array.isArray(items)) yield* items;
      next = nextPage(page);
    }
  }

  return {
    get,
    post: calling('POST'),
    put: calling('PUT'),
    patch: calling('PATCH'),
    delete: calling('DELETE'),
    each,
  } as Client;
}

/** The parameters of the next page, by cursor or by number. */
function nextPage(page: unknown): object | undefined {
  const cursor = fieldOf(page, 'next_cursor');
  if (typeof cursor === 'string') return { cursor };
  const [current, last] = [fieldOf(page, 'current_page'), fieldOf(page, 'last_page')];
  return typeof current === 'number' && typeof last === 'number' && current < last ? { page: current + 1 } : undefined;
}

/** A part of a path is missing. */
export class MissingPart extends TypeError {
  override readonly name = 'MissingPart';
}

/** Puts the parts into a path. Throws `MissingPart` if one is missing. */
export function fill(path: string, parts: object = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const part = fieldOf(parts, name);
    if (part === undefined || part === '') throw new MissingPart(`The path needs ${name}.`);
    return encodeURIComponent(String(part));
  });
}

export function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return text && `?${text}`;
}
