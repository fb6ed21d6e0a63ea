import { createHash } from 'node:crypto';
import { Redis, type Result } from 'ioredis';
import type { Clock } from '../../core/ports/clock.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';

export interface RedisRateLimiterOptions {
  /** `redis://user:password@host:port/database`, or `rediss://` for TLS. */
  readonly url: string;
  readonly clock: Clock;
  /** Counts while Redis does not. */
  readonly fallback: RateLimiter;
  readonly log?: {
    info(fields: object, text: string): void;
    warn(fields: object, text: string): void;
  };
  /** What every key starts with; without braces, which would name the cluster slot. */
  readonly namespace?: string;
  /** Milliseconds that Redis may take for an answer. */
  readonly timeout?: number;
}

export interface RedisRateLimiter extends RateLimiter {
  /** Where calls are counted: in Redis (`up`), or by the fallback. */
  state(): 'up' | 'down';
  close(): Promise<void>;
}

/**
 * Fixed windows in Redis, shared by all processes that name the same server and namespace: one round trip for all windows
 * of a call. Resolves when Redis has answered, or failed to; rejects only where the address is none.
 *
 * While Redis is away, refuses writes or takes too long, `fallback` counts at once, each process for itself, and the
 * connection comes back in the background. What one of the two has counted is never carried over to the other: after an
 * outage the windows go on as Redis still has them. A call that Redis counted but did not answer in time is counted in both.
 */
export async function openRedisRateLimiter(options: RedisRateLimiterOptions): Promise<RedisRateLimiter> {
  const { url, clock, fallback, log, namespace = 'lk', timeout = 250 } = options;
  let state: 'opening' | 'up' | 'down' | 'closed' = 'opening';
  let failures = 0;
  let upSince = 0;

  const client = new Redis(url, {
    scripts: { countCall: { lua: countCall } },
    protocol: 2,
    connectionName: 'latchkey',
    disableClientInfo: true,
    enableReadyCheck: false, // The probe asks for more.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    socketTimeout: 4 * timeout, // Else a login that is never answered would last for ever.
    disconnectTimeout: 0,
    retryStrategy: () => Math.min(longestPause, 50 * 2 ** failures++) * (0.5 + Math.random() / 2),
  });

  async function count(keys: readonly string[], peek: boolean, windows: readonly number[]): Promise<number[]> {
    const call = client.countCall(keys.length, ...keys, clock.now(), peek ? 1 : 0, ...windows);
    return await inTime(call, timeout);
  }

  function rise(): void {
    if (state === 'closed') return;
    if (state === 'down') log?.info({}, 'redis is back: rate limits are shared again');
    state = 'up';
    upSince = performance.now();
  }

  function fail(error: unknown): void {
    if (state === 'closed') return;
    if (state === 'up' && performance.now() - upSince > steady) failures = 0;
    if (state !== 'down') log?.warn({ reason: reasonOf(error) }, 'redis is out: rate limits are counted in memory');
    state = 'down';
    if (client.status === 'connect' || client.status === 'ready') client.disconnect(true);
  }

  await new Promise<void>((decided) => {
    client
      .on('ready', () => {
        // What is open to the one write may be read-only, full or loading to another: only a count tells.
        count([`${namespace}:{+}:1`], false, [probes, 1000])
          .then(rise, fail)
          .then(decided);
      })
      .on('error', fail)
      .on('close', () => {
        fail(new Error('connection closed'));
        decided();
      })
      .on('end', decided);
  });

  return {
    async count(subject, allowances, { peek = false } = {}) {
      if (state !== 'up') return fallback.count(subject, allowances, { peek });
      const keys = allowances.map(({ seconds }) => `${namespace}:{${tagOf(subject)}}:${seconds}`);
      const windows = allowances.flatMap(({ limit, seconds }) => [limit, seconds * 1000]);
      let answer: readonly number[];
      try {
        answer = await count(keys, peek, windows);
      } catch (error) {
        if (state === 'up') fail(error);
        return fallback.count(subject, allowances, { peek });
      }
      const [allowed, ...states] = answer;
      return {
        allowed: allowed === 1,
        windows: allowances.map((allowance, n) => {
          const [used = 0, resetAt = 0] = states.slice(2 * n);
          return { ...allowance, remaining: Math.max(0, allowance.limit - used), resetAt };
        }),
      };
    },

    state: () => (state === 'up' ? 'up' : 'down'),

    async close() {
      state = 'closed';
      const { status } = client;
      if (status === 'end') return;
      const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
      client.disconnect();
      // Between two attempts there is nothing to end: the timer of the next is all, and that is gone now.
      if (status !== 'reconnecting') await ended;
    },
  };
}

/** Milliseconds between two attempts to connect, at most. */
const longestPause = 2_000;
/** Milliseconds after which a connection has proven itself; one that fails sooner is taken up again later each time. */
const steady = 10_000;
/** More than there can be in a second. */
const probes = 1_000_000_000;

/**
 * KEYS: one for each window. ARGV: the time; whether to peek; then limit and milliseconds of each window. Answers whether
 * the call is allowed; then used and end of each window. A key outlives its window a little, for the processes whose
 * clocks are behind: what ends a window is the time that the caller gives, never the key's expiry.
 */
const countCall = `
local now, allowed, windows = tonumber(ARGV[1]), 1, {}
for n, key in ipairs(KEYS) do
  local limit, length = tonumber(ARGV[2 * n + 1]), tonumber(ARGV[2 * n + 2])
  local kept = redis.call('HMGET', key, 'used', 'reset')
  local window = { key = key, length = length, used = tonumber(kept[1]), reset = tonumber(kept[2]) }
  if not (window.used and window.reset and window.reset > now) then
    window.used, window.reset, window.isNew = 0, now + length, true
  end
  if window.used >= limit then allowed = 0 end
  windows[n] = window
end
if allowed == 1 and ARGV[2] == '0' then
  for _, window in ipairs(windows) do
    window.used = window.used + 1
    if window.isNew then
      redis.call('HSET', window.key, 'used', 1, 'reset', string.format('%.0f', window.reset))
      redis.call('PEXPIRE', window.key, string.format('%.0f', window.length + 10000))
    else
      redis.call('HINCRBY', window.key, 'used', 1)
    end
  end
end
local answer = { allowed }
for _, window in ipairs(windows) do
  table.insert(answer, window.used)
  table.insert(answer, window.reset)
end
return answer
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countCall(keys: number, ...args: (string | number)[]): Result<number[], Context>;
  }
}

/** Rejects when no answer has come in time; one that came while this process was busy is there at the next turn. */
function inTime<T>(answer: Promise<T>, timeout: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${timeout} ms`));
    const timer = setTimeout(() => setImmediate(late), timeout);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Names a subject inside a key: as it is where that is short and plain, else by a hash. No two are named alike. */
function tagOf(subject: string): string {
  if (/^[\w.:/@-]{1,100}$/.test(subject)) return subject;
  return `#${createHash('sha256').update(subject, 'utf16le').digest('base64url')}`;
}

/** Only what was said: the error itself may carry the command, and with it the password. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
