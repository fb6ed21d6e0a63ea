import type { Calls } from './api.ts';

/** A file: `Blob` and `File` of browsers and servers. */
export interface FileLike {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have a method. */
export type PathWith<M extends Method> = { [P in keyof Calls]: M extends keyof Calls[P] ? P : never }[keyof Calls];

/** A part of a call as its route declares it, or `never`. */
type Part<P extends keyof Calls, M extends Method, Name extends string> = M extends keyof Calls[P]
  ? Calls[P][M] extends { [K in Name]: infer Found }
    ? Found
    : never
  : never;

/** An option that is needed, may be left out, or does not exist, as its type says. */
type Option<Name extends string, T> = [T] extends [never]
  ? { readonly [K in Name]?: never }
  : undefined extends T
    ? { readonly [K in Name]?: T }
    : // biome-ignore lint/complexity/noBannedTypes: `{}` tests if all fields are optional
      {} extends T
      ? { readonly [K in Name]?: T }
      : { readonly [K in Name]: T };

export interface Progress {
  /** Bytes that have left. */
  readonly sent: number;
  /** Bytes of all files and fields. */
  readonly total: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call: an `AbortSignal`. */
  // biome-ignore lint/suspicious/noExplicitAny: each platform has its own type for it
  readonly signal?: any;
  /** Milliseconds. Default: 30,000. Uploads have no limit. */
  readonly timeout?: number;
  /** Identifies a POST, so that it is carried out only once if you repeat it. Default: a random one. */
  readonly idempotencyKey?: string;
}

/** The options of one call, as its route declares them. */
export type OptionsOf<P extends keyof Calls, M extends Method> = CallOptions &
  Option<'path', Part<P, M, 'path'>> &
  Option<'query', Part<P, M, 'query'>> &
  Option<'body', Part<P, M, 'body'>> &
  Option<'csv', Part<P, M, 'csv'>> &
  Option<'form', Part<P, M, 'form'>> & {
    /** Only for uploads: called while the form is sent. */
    readonly onProgress?: (progress: Progress) => void;
  };

/** Options may be left out if none is needed. */
export type Rest<Options> = CallOptions extends Options ? [options?: Options] : [options: Options];

/** The answer of one call: parsed JSON, or CSV as a text. */
export type AnswerOf<P extends keyof Calls, M extends Method> = Part<P, M, 'answer'>;

/** The lists that are read in pages. */
export type ListPath = {
  [P in PathWith<'get'>]: AnswerOf<P, 'get'> extends { data: unknown[] } & (
    | { next_cursor: unknown }
    | { last_page: number }
  )
    ? P
    : never;
}[PathWith<'get'>];

export type ItemOf<P extends ListPath> = AnswerOf<P, 'get'> extends { data: (infer Item)[] } ? Item : never;
