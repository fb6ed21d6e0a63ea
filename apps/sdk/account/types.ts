import type { paths } from './api.ts';

/** A file: `Blob` and `File` of browsers and servers. */
export interface FileLike {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The paths that have a method. */
export type PathWith<M extends Method> = {
  [P in keyof paths]: undefined extends paths[P][M] ? never : P;
}[keyof paths];

type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;

type Parameters<O, Place extends string> = O extends { parameters: { [K in Place]?: infer Found } }
  ? Exclude<Found, undefined>
  : never;

type Content<O, Kind extends string> = O extends { requestBody?: { content: { [K in Kind]: infer Found } } }
  ? Found
  : never;

/** The generator writes files as texts. */
type Fields<F> = { [Name in keyof F]: F[Name] | (string extends F[Name] ? FileLike : never) };

/** An option that is needed, may be left out, or does not exist, as its type says. */
type Option<Name extends string, T> = [T] extends [never]
  ? { readonly [K in Name]?: never }
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
export type OptionsOf<P extends keyof paths, M extends Method> = CallOptions &
  Option<'path', Parameters<Operation<P, M>, 'path'>> &
  Option<'query', Parameters<Operation<P, M>, 'query'>> &
  Option<'body', Content<Operation<P, M>, 'application/json'>> &
  Option<'csv', Content<Operation<P, M>, 'text/csv'>> &
  Option<'form', Fields<Content<Operation<P, M>, 'multipart/form-data'>>> & {
    /** Only for uploads: called while the form is sent. */
    readonly onProgress?: (progress: Progress) => void;
  };

/** Options may be left out if none is needed. */
export type Rest<Options> = CallOptions extends Options ? [options?: Options] : [options: Options];

/** The answer of one call: parsed JSON, or CSV as a text. */
export type AnswerOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends {
    responses: infer Responses;
  }
    ? Responses[keyof Responses] extends { content: infer Answers }
      ? Answers[keyof Answers]
      : never
    : never;

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
