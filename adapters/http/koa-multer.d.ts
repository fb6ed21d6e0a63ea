declare module '@koa/multer' {
  import type { IncomingMessage } from 'node:http';
  import type { Writable } from 'node:stream';
  import type { ParameterizedContext } from 'koa';
  import type { Options, StorageEngine } from 'multer';

  /**
   * Puts the text fields into `ctx.request.body`, and the storage engine's result for each file into
   * `ctx.request.files`.
   */
  export default function multer(
    options: Options & {
      /** Feeds the request's body to the parser. */
      streamHandler?(request: IncomingMessage, parser: Writable): void;
    },
  ): {
    any(): (ctx: ParameterizedContext, next: () => Promise<unknown>) => Promise<unknown>;
  };
  export type { StorageEngine };
}
