/** The JSON part of `co-body`. The whole package also loads the parsers of forms and content types, which takes longer. */
declare module 'co-body/lib/json.js' {
  import type { IncomingMessage } from 'node:http';

  /** Reads a JSON object or array. An empty body is an empty object. */
  export default function json(request: IncomingMessage, options: { readonly limit: string }): Promise<object>;
}
