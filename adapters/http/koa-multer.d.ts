declare module '@koa/multer' {
  import type { ParameterizedContext } from 'koa';
  import type { Options, StorageEngine } from 'multer';

  /** Leaves the text fields in `ctx.request.body`, and what the storage engine told of each file in `ctx.request.files`. */
  export default function multer(options: Options): {
    any(): (ctx: ParameterizedContext, next: () => Promise<unknown>) => Promise<unknown>;
  };
  export type { StorageEngine };
}
