import { createHash } from 'node:crypto';
import type { Clock } from '../../core/ports/clock.ts';
import { type Allowance, isAddressSubject, type RateLimiter } from '../../core/ports/rate-limiter.ts';
import type { FallbackOptions } from './fallback.ts';
import { type Connection, connect } from './redis-connection.ts';
import { parseRedisUrl, type RedisHost } from './redis-url.ts';

export interface RedisRateLimiterOptions extends FallbackOptions {
  /** See `parseRedisUrl`. */
  readonly url: string;
  readonly clock: Clock;
  /** The prefix of all keys. It must not contain braces, because they select the cluster slot. Default: `lk`. */
  readonly namespace?: string;
}

export interface RedisRateLimiter extends RateLimiter {
  /** Where calls are counted: in Redis (`up`), or by the fallback. */
  state(): 'up' | 'down';
  close(): Promise<void>;
}

/**
 * Counts in Redis, in windows that all processes with the same server and namespace share. One command counts many calls
 * of one turn of the event loop in all their windows. In a cluster, each call has its own command. Resolves after the
 * first attempt to connect, also if that failed. Rejects only if the URL is wrong.
 *
 * While Redis is unavailable, refuses writes or responds too late, `fallback` counts, each process for itself. The
 * connection is restored in the background. The same applies until sentinels have promoted another master, and while
 * any node of a cluster is unavailable. Counts are never copied between Redis and the fallback. After an outage, the
 * windows continue as Redis stored them. A call that Redis counted too late is counted in both.
 *
 * Keys of inactive addresses expire early: after n calls, Redis keeps them for n × 86.4 s (with 1,000 calls a day). So
 * an address still cannot make more than 1,000 calls a day on average, and keys of a flood expire after about a minute.
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
  let lastWarning = '';

  function markUp(connection: Connection): void {
    if (state === 'closed') return;
    if (state === 'down') log?.info({}, 'redis is back: rate limits are shared again');
    if (state !== 'up') upSince = performance.now();
    state = 'up';
    lastWarning = '';
    known = connection.nodes();
  }

  function markDown(error: unknown): void {
    if (state === 'closed') return;
    if (state === 'up' && performance.now() - upSince > steady) failures = 0;
    const reason = reasonOf(error);
    const text = isOfCluster.test(reason) && place.kind !== 'cluster' ? wrongScheme : unavailable;
    if (text !== lastWarning) log?.warn({ reason }, text);
    lastWarning = text;
    state = 'down';
    retry = setTimeout(begin, Math.min(longestPause, 50 * 2 ** failures++) * (0.5 + Math.random() / 2));
  }

  /** Connects once. Calls `decided` when the attempt has succeeded or failed. */
  function begin(decided?: () => void): void {
    let isOver = false;
    const end = (error: unknown) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(limit);
      void connection.close();
      markDown(error);
      decided?.();
    };
    const limit = setTimeout(() => end(new Error(`no connection within ${longestAttempt} ms`)), longestAttempt);
    /** Counts once at every node, because a node that accepts connections may be read-only, full or loading data. */
    const probe = async () => {
      const args = [clock.now(), 1, 0, 0, probes, 1000];
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
            if (!isOver) markUp(connection);
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

  let waiting: Call[] = [];

  function send(): void {
    const calls = waiting;
    waiting = [];
    const most = place.kind === 'cluster' ? 1 : mostInCommand;
    for (let n = 0; n < calls.length; n += most) void countTogether(calls.slice(n, n + most));
  }

  /** Counts calls with one command. If that fails, the fallback counts them. */
  async function countTogether(calls: readonly Call[]): Promise<void> {
    const tried = state === 'up' ? attempt : undefined;
    let answer: readonly number[] | undefined;
    try {
      const args = [clock.now(), ...calls.flatMap((call) => call.args)];
      const keys = calls.flatMap((call) => call.keys);
      answer = tried && (await inTime(tried.connection.count(keys, args), timeout));
    } catch (error) {
      tried?.end(error);
    }
    let from = 0;
    for (const { keys, finish } of calls) {
      const length = 1 + 2 * keys.length;
      finish(answer?.slice(from, from + length));
      from += length;
    }
  }

  function ask(
    subject: string,
    allowances: readonly Allowance[],
    peek: boolean,
  ): Promise<readonly number[] | undefined> {
    const tag = tagOf(subject);
    const keys = allowances.map(({ seconds }) => `${namespace}:{${tag}}:${seconds}`);
    const windows = allowances.flatMap(({ limit, seconds }) => [limit, seconds * 1000]);
    const args = [allowances.length, peek ? 1 : 0, isAddressSubject(subject) ? 1 : 0, ...windows];
    return new Promise((finish) => {
      if (waiting.push({ keys, args, finish }) === 1) setImmediate(send);
    });
  }

  return {
    async count(subject, allowances, { peek = false } = {}) {
      const answer = state === 'up' ? await ask(subject, allowances, peek) : undefined;
      if (answer === undefined) return fallback.count(subject, allowances, { peek });
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

/** A call that waits for its result. */
interface Call {
  /** One for each window. */
  readonly keys: readonly string[];
  /** As the script gets them. */
  readonly args: readonly number[];
  /** Without an answer, the fallback counts. */
  finish(answer: readonly number[] | undefined): void;
}

interface Attempt {
  readonly connection: Connection;
  /** Closes the connection and counts with the fallback. Does nothing if called again. */
  end(error: unknown): void;
}

const unavailable = 'redis is unavailable: rate limits are counted in memory';
const wrongScheme =
  'redis is a node of a cluster: write redis+cluster:// in RATE_LIMIT_URL; until then rate limits are counted in memory';
/** Errors of a cluster node for keys of other nodes. */
const isOfCluster = /^(?:MOVED|ASK|CROSSSLOT) /;

/**
 * The most calls in one command. Redis serves nobody else while it counts, and a function call of JavaScript does not take
 * all arguments of some ten thousand calls.
 */
const mostInCommand = 1_000;

/** The longest pause between two attempts to connect, in milliseconds. */
const longestPause = 2_000;
/** The timeout for an attempt to connect, in milliseconds. */
const longestAttempt = 5_000;
/** Milliseconds after which a connection is stable. If it fails sooner, the pause before the next attempt grows. */
const steady = 10_000;
/** The limit of the probe's window, which probes never reach. */
const probes = 1_000_000_000;

/** Rejects after a timeout. A response that arrived while this process was busy is still used. */
function inTime<T>(answer: Promise<T>, timeout: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${timeout} ms`));
    const timer = setTimeout(() => setImmediate(late), timeout);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Returns a unique name for a subject in keys: the subject itself if it is short and plain, else its hash. */
function tagOf(subject: string): string {
  if (/^[\w.:/@-]{1,100}$/.test(subject)) return subject;
  return `#${createHash('sha256').update(subject, 'utf16le').digest('base64url')}`;
}

/** Returns only the message. The error itself may contain the command, and with it the password. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
