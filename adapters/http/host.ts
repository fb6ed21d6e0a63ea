import type { IncomingMessage } from 'node:http';
import { Failure } from './failures.ts';
import type { Middleware } from './state.ts';

/** Whether the request names one host, as HTTP/1.1 asks; HTTP/1.0 may leave it out. */
export function namesOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** Refuses a request that does not: proxies and servers could take it for two different sites. */
export const oneHost: Middleware = (ctx, next) => {
  if (namesOneHost(ctx.req)) return next();
  throw new Failure('bad_request', { detail: 'The request must have one Host header.' });
};
