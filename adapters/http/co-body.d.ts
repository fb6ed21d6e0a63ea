/** The JSON part of `co-body`. The whole package also loads the parsers of forms and content types, which takes longer. */
declare module 'co-body/lib/json.js' {
  import type { IncomingHttpHeaders } from 'node:http';
  import type { Readable } from 'node:stream';

  /** Reads a JSON object or array. An empty body is an empty object. */
  export default function json(
    request: Readable & { readonly headers: IncomingHttpHeaders },
    options: { readonly limit: string },
  ): Promise<object>;
}

/** The text part. */
declare module 'co-body/lib/text.js' {
  import type { IncomingHttpHeaders } from 'node:http';
  import type { Readable } from 'node:stream';

  export default function text(
    request: Readable & { readonly headers: IncomingHttpHeaders },
    options: { readonly limit: string },
  ): Promise<string>;
  /** Without an encoding, returns the bytes as they came. */
  export default function text(
    request: Readable & { readonly headers: IncomingHttpHeaders },
    options: { readonly limit: string; readonly encoding: null },
  ): Promise<Buffer>;
}
