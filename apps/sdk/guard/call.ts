import type { HttpRequest, Platform } from '../platform.ts';
import { doubtOf, type Reply, type Unknown } from './answer.ts';
import { within } from './within.ts';

declare const AbortController: new () => { abort(): void; readonly signal: unknown };

/** Calls the server once. Never throws. Never takes longer than `limit` milliseconds. */
export async function call(
  platform: Platform,
  url: string,
  request: HttpRequest,
  limit: number,
): Promise<Reply | Unknown> {
  const stop = new AbortController();
  const reply = async (): Promise<Reply | Unknown> => {
    try {
      const response = await platform.fetch(url, { ...request, signal: stop.signal });
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        text: await response.text(),
      };
    } catch {
      return { state: 'unknown', reason: 'network' };
    }
  };
  return within<Reply | Unknown>(platform, limit, reply(), () => {
    stop.abort();
    return { state: 'unknown', reason: 'timeout' };
  });
}

/**
 * Calls once more if the first call brought no answer, after a random wait. Not if the server limits calls or names a
 * time: then another call would do harm.
 */
export async function callTwice(
  platform: Platform,
  url: string,
  request: HttpRequest,
  limit: number,
): Promise<Reply | Unknown> {
  const first = await call(platform, url, request, limit);
  const doubt = 'status' in first ? doubtOf(first, platform.now()) : first;
  const mayPass = ['network', 'timeout', 'server_error'].includes(doubt.reason) && doubt.retryAfter === undefined;
  if (!mayPass) return first;
  await new Promise<void>((resolve) => platform.later(200 + 500 * platform.random(), resolve));
  return await call(platform, url, request, limit);
}
