import type { Allowance, RateLimiter } from '../../core/ports/rate-limiter.ts';
import { minute } from '../../core/time.ts';
import type { FallbackOptions } from './fallback.ts';

/** A connection to another process, such as from a cluster's worker to its primary. */
export interface Channel {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
}

type Counted = Awaited<ReturnType<RateLimiter['count']>>;

/** One call to count: its subject, whether it only peeks, and then the limit and the seconds of each window. */
type Asked = readonly [subject: string, peek: 0 | 1, ...windows: number[]];
/** Its result: whether it is allowed, and then the remaining calls and the end of each window. */
type Told = readonly [allowed: 0 | 1, ...windows: number[]];

interface Question {
  readonly count: readonly Asked[];
}

interface Answer {
  readonly counted: readonly Told[];
}

/** A call that waits for its result. */
interface Call {
  readonly asked: Asked;
  /** Without a result, the fallback counts. */
  finish(told: Told | undefined): void;
}

export interface SharedRateLimiterOptions extends FallbackOptions {
  /** Returns the milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

export interface SharedRateLimiter extends RateLimiter {
  /**
   * Whether the other process counted all calls of the last minute. After an outage it stays false for a minute, so
   * that the next scrape still reports the outage. Scrapes during an outage may fail.
   */
  isShared(): boolean;
}

/**
 * Counts with the limiter of the other process, so that all workers share its windows. All calls of one turn of the event
 * loop go in one message. While one is on its way, calls collect for the next. After a timeout, it uses the fallback and
 * sends nothing to the other process until the late response arrives.
 */
export function createSharedRateLimiter(
  channel: Channel,
  { fallback, log, timeout = 250, now = () => performance.now() }: SharedRateLimiterOptions,
): SharedRateLimiter {
  let waiting: Call[] = [];
  let sent: readonly Call[] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isSilent = false;
  let aloneUntil = Number.NEGATIVE_INFINITY;

  channel.onMessage((message) => {
    if (!isAnswer(message) || sent === undefined) return;
    clearTimeout(timer);
    const calls = sent;
    sent = undefined;
    if (isSilent) log?.info({}, 'the primary responds again: rate limits are shared');
    else for (const [n, call] of calls.entries()) call.finish(message.counted[n]);
    isSilent = false;
    setImmediate(send);
  });

  function send(): void {
    if (sent !== undefined || waiting.length === 0) return;
    const calls = waiting;
    sent = calls;
    waiting = [];
    // A response that arrived while this process was busy is still used.
    timer = setTimeout(() => setImmediate(giveUp, calls), timeout);
    channel.send({ count: calls.map(({ asked }) => asked) } satisfies Question);
  }

  function giveUp(calls: readonly Call[]): void {
    if (sent !== calls) return;
    log?.warn({}, 'the primary does not respond: each worker counts rate limits for itself');
    isSilent = true;
    const unsent = waiting;
    waiting = [];
    for (const call of [...calls, ...unsent]) call.finish(undefined);
  }

  function ask(subject: string, allowances: readonly Allowance[], peek: boolean): Promise<Counted | undefined> {
    return new Promise((resolve) => {
      const windows = allowances.flatMap(({ limit, seconds }) => [limit, seconds]);
      const finish = (told: Told | undefined) => resolve(told && readTold(told, allowances));
      const isFirst = waiting.push({ asked: [subject, peek ? 1 : 0, ...windows], finish }) === 1;
      if (isFirst && sent === undefined) setImmediate(send);
    });
  }

  return {
    async count(subject, allowances, { peek = false } = {}) {
      const counted = isSilent ? undefined : await ask(subject, allowances, peek);
      if (counted !== undefined) return counted;
      aloneUntil = now() + minute;
      return await fallback.count(subject, allowances, { peek });
    },
    isShared: () => !isSilent && now() >= aloneUntil,
  };
}

/** Runs in the primary: answers the workers' count requests with the given limiter. */
export function shareRateLimiter(channel: Channel, limiter: RateLimiter): void {
  const count = async ([subject, peek, ...windows]: Asked): Promise<Told> => {
    const counted = await limiter.count(subject, readAllowances(windows), { peek: peek === 1 });
    return [counted.allowed ? 1 : 0, ...counted.windows.flatMap(({ remaining, resetAt }) => [remaining, resetAt])];
  };
  channel.onMessage(async (message) => {
    if (!isQuestion(message)) return;
    channel.send({ counted: await Promise.all(message.count.map(count)) } satisfies Answer);
  });
}

function readAllowances(windows: readonly number[]): Allowance[] {
  const allowances: Allowance[] = [];
  for (let n = 0; n < windows.length; n += 2) allowances.push({ limit: windows[n] ?? 0, seconds: windows[n + 1] ?? 0 });
  return allowances;
}

function readTold([allowed, ...windows]: Told, allowances: readonly Allowance[]): Counted {
  return {
    allowed: allowed === 1,
    windows: allowances.map(({ limit, seconds }, n) => {
      return { limit, seconds, remaining: windows[2 * n] ?? 0, resetAt: windows[2 * n + 1] ?? 0 };
    }),
  };
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'count' in message && Array.isArray(message.count);
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'counted' in message && Array.isArray(message.counted);
}
