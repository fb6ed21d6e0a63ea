import type { Lease, LeaseFault } from './lease.ts';

/**
 * Why there is no answer. `network`: no connection, or the browser forbids it (CORS, CSP). `bad_answer`: something else
 * than the license server answered. `refused`: the server does not accept the form of the key or the domain. `bad_domain`: the
 * page has no host. `offline`: the guard never asks. Or why the lease that came does not count.
 */
export type Doubt =
  | 'network'
  | 'timeout'
  | 'rate_limited'
  | 'server_error'
  | 'bad_answer'
  | 'refused'
  | 'bad_domain'
  | 'offline'
  | LeaseFault;

/** The HTTP response to one call. */
export interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** The result of one call to the server. */
export type Answer =
  | { readonly state: 'valid'; readonly expiresAt: number | null; readonly lease?: Lease }
  | { readonly state: 'invalid'; readonly reason: string }
  | Unknown;

export interface Unknown {
  readonly state: 'unknown';
  readonly reason: Doubt;
  /** Milliseconds for which the server wants no further call. */
  readonly retryAfter?: number | undefined;
}

/** No `Retry-After` silences the guard for longer than this. */
const longestPause = 3_600_000;

/** Reads the answer of `verify`. Only the server's own words make a license valid or invalid. */
export function readVerify(reply: Reply, now: number): Answer {
  const { status } = reply;
  const body = readJson(reply.text);
  const valid = fieldOf(body, 'valid');
  const error = fieldOf(body, 'error');
  if (status === 200 && valid === true) {
    const until = fieldOf(fieldOf(body, 'license'), 'expires_at');
    const expiresAt = typeof until === 'string' ? Date.parse(until) : Number.NaN;
    if (until === null) return { state: 'valid', expiresAt: null };
    if (!Number.isNaN(expiresAt)) return { state: 'valid', expiresAt };
  }
  // 404 has other causes too: a wrong address, or a proxy.
  if (valid === false && typeof error === 'string' && (status === 200 || (status === 404 && error === 'invalid_key'))) {
    return { state: 'invalid', reason: error };
  }
  return doubtOf(reply, now);
}

/** Returns why a response is not an answer of the license server. */
export function doubtOf({ status, retryAfter }: Reply, now: number): Unknown {
  const reason =
    status === 429
      ? 'rate_limited'
      : status >= 500 || status === 408
        ? 'server_error'
        : status === 422
          ? 'refused'
          : 'bad_answer';
  return { state: 'unknown', reason, retryAfter: readRetryAfter(retryAfter, now) };
}

/** `Retry-After` in milliseconds: seconds or a date. */
function readRetryAfter(text: string | null, now: number): number | undefined {
  if (!text) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 1000), longestPause);
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a field of any value. Never throws. */
export function fieldOf(value: unknown, name: string): unknown {
  const fields: Readonly<Record<string, unknown>> = Object(value);
  return fields[name];
}
