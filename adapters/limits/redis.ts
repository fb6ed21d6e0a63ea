import { createHash } from 'node:crypto';
import type { Clock } from '../../core/ports/clock.ts';
import { isAddressSubject, type RateLimiter } from '../../core/ports/rate-limiter.ts';
import { type Connection, connect } from './redis-connection.ts';
import { parseRedisUrl, type RedisHost } from './redis-url.ts';

export interface RedisRateLimiterOptions {
  /** What `parseRedisUrl` reads: one server, sentinels and the name of their master, or the nodes of a cluster. */
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
 * connection comes back in the background. The same holds until sentinels have promoted another master, and for all calls
 * while any node of a cluster is away. What one of the two has counted is never carried over to the other: after an
 * outage the windows go on as Redis still has them. A call that Redis counted but did not answer in time is counted in both.
 *
 * Redis forgets a silent address early: after n calls it remembers them for n × 86.4 s (at 1,000 a day). So an address cannot
 * pass 1,000 calls a day on average, and a flood leaves keys for about a minute.
 */
export async function openRedisRateLimiter(options: RedisRateLimiterOptions): Promise<RedisRateLimiter> {
  const { url, clock, fallback, log, namespace = 'lk', timeout = 250 } = options;
  const place = parseRedisUrl(url);
  let state: 'opening' | 'up' | 'down' | 'closed' = 'opening';
  let attempt: Attempt | undefined;
  let retry: NodeJS.Timeout | undefined;
  let known: readonly RedisHost[] = [];
  let failures = 0;
  let upSince = 0;
  let said = '';

  function rise(connection: Connection): void {
    if (state === 'closed') return;
    if (state === 'down') log?.info({}, 'redis is back: rate limits are shared again');
    if (state !== 'up') upSince = performance.now();
    state = 'up';
    said = '';
    known = connection.nodes();
  }

  function fall(error: unknown): void {
    if (state === 'closed') return;
    if (state === 'up' && performance.now() - upSince > steady) failures = 0;
    const reason = reasonOf(error);
    const text = isOfCluster.test(reason) && place.kind !== 'cluster' ? wrongScheme : out;
    if (text !== said) log?.warn({ reason }, text);
    said = text;
    state = 'down';
    retry = setTimeout(begin, Math.min(longestPause, 50 * 2 ** failures++) * (0.5 + Math.random() / 2));
  }

  /** Connects once. `decided` is told when it has come about, or failed. */
  function begin(decided?: () => void): void {
    let isOver = false;
    const end = (error: unknown) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(limit);
      void connection.close();
      fall(error);
      decided?.();
    };
    const limit = setTimeout(() => end(new Error(`no connection within ${longestAttempt} ms`)), longestAttempt);
    /** A node that connects may be read-only, full or loading its data: only a count at every node tells. */
    const probe = async () => {
      const args = [clock.now(), 0, 0, probes, 1000];
      const counts = connection.tags().map((tag) => connection.count([`${namespace}:{${tag}}:1`], args));
      await inTime(Promise.all(counts), 4 * timeout);
    };
    const connection = connect(
      place,
      { timeout: 4 * timeout, known },
      {
        failed: end,
        ready() {
          probe().then(() => {
            clearTimeout(limit);
            if (!isOver) rise(connection);
            decided?.();
          }, end);
        },
        changed() {
          if (!isOver && state === 'up') probe().catch(end);
        },
      },
    );
    attempt = { connection, end };
  }

  await new Promise<void>((decided) => begin(decided));

  return {
    async count(subject, allowances, { peek = false } = {}) {
      if (state !== 'up' || attempt === undefined) return fallback.count(subject, allowances, { peek });
      const { connection, end } = attempt;
      const keys = allowances.map(({ seconds }) => `${namespace}:{${tagOf(subject)}}:${seconds}`);
      const windows = allowances.flatMap(({ limit, seconds }) => [limit, seconds * 1000]);
      let answer: readonly number[];
      try {
        const forget = isAddressSubject(subject);
        const call = connection.count(keys, [clock.now(), peek ? 1 : 0, forget ? 1 : 0, ...windows]);
        answer = await inTime(call, timeout);
      } catch (error) {
        end(error);
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
      clearTimeout(retry);
      attempt?.end(new Error('closed'));
      await attempt?.connection.close();
    },
  };
}

interface Attempt {
  readonly connection: Connection;
  /** Gives the connection up; a second time, it does nothing. */
  end(error: unknown): void;
}

const out = 'redis is out: rate limits are counted in memory';
const wrongScheme =
  'redis is a node of a cluster: write redis+cluster:// in RATE_LIMIT_URL; until then rate limits are counted in memory';
/** What a node of a cluster says of the keys of other nodes. */
const isOfCluster = /^(?:MOVED|ASK|CROSSSLOT) /;

/** Milliseconds between two attempts to connect, at most. */
const longestPause = 2_000;
/** Milliseconds after which an attempt to connect is given up, whatever it waits for. */
const longestAttempt = 5_000;
/** Milliseconds after which a connection has proven itself; one that fails sooner is taken up again later each time. */
const steady = 10_000;
/** More than there can be in a second. */
const probes = 1_000_000_000;

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
