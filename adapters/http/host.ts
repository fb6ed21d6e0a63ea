import type { IncomingMessage } from 'node:http';
import { Failure } from './failures.ts';
import type { Middleware } from './state.ts';

/** Returns whether the request has one Host header, as HTTP/1.1 requires. HTTP/1.0 may omit it. */
export function namesOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/**
 * Refuses requests for which `namesOneHost` is false, because a proxy and this server could read different sites from
 * them.
 */
export const oneHost: Middleware = (ctx, next) => {
  if (namesOneHost(ctx.req)) return next();
  throw new Failure('bad_request', { detail: 'The request must have one Host header.' });
};
