import type { Allowance, RateLimiter, WindowState } from '../../core/ports/rate-limiter.ts';
import { minute } from '../../core/time.ts';
import type { FallbackOptions } from './fallback.ts';
import type { MemoryRateLimiter } from './memory.ts';

/** A connection to another process, such as from a cluster's worker to its primary. */
export interface Channel {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
}

type Counted = Awaited<ReturnType<RateLimiter['count']>>;

/**
 * Calls to count, as JSON is shortest and fastest to read. `kinds` holds each list of allowances once: the limit and the seconds
 * of each window. `count` holds three fields for each call: its subject, the index of its kind, and whether it only peeks.
 */
interface Question {
  readonly kinds: readonly (readonly number[])[];
  readonly count: readonly (string | number)[];
}

/** For each call whether it is allowed, and then the remaining calls and the end of each window. */
interface Answer {
  readonly counted: readonly number[];
}

/** A call that waits for its result. */
interface Call {
  readonly subject: string;
  readonly allowances: readonly Allowance[];
  readonly peek: boolean;
  resolve(counted: Counted | Promise<Counted>): void;
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
    else answer(calls, message);
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
    channel.send(questionOf(calls));
  }

  function giveUp(calls: readonly Call[]): void {
    if (sent !== calls) return;
    log?.warn({}, 'the primary does not respond: each worker counts rate limits for itself');
    isSilent = true;
    const unsent = waiting;
    waiting = [];
    for (const call of [...calls, ...unsent]) call.resolve(countAlone(call.subject, call.allowances, call.peek));
  }

  function countAlone(subject: string, allowances: readonly Allowance[], peek: boolean): Promise<Counted> {
    aloneUntil = now() + minute;
    return fallback.count(subject, allowances, { peek });
  }

  return {
    count(subject, allowances, { peek = false } = {}) {
      if (isSilent) return countAlone(subject, allowances, peek);
      return new Promise((resolve) => {
        const isFirst = waiting.push({ subject, allowances, peek, resolve }) === 1;
        if (isFirst && sent === undefined) setImmediate(send);
      });
    },
    isShared: () => !isSilent && now() >= aloneUntil,
  };
}

/** Runs in the primary and answers the workers. `count` is the limiter that all workers share. */
export function shareRateLimiter(channel: Channel, count: MemoryRateLimiter['countNow']): void {
  channel.onMessage((message) => {
    if (!isQuestion(message)) return;
    const kinds = message.kinds.map(readAllowances);
    const counted: number[] = [];
    for (let n = 0; n < message.count.length; n += 3) {
      const [subject, kind, peek] = [message.count[n], message.count[n + 1], message.count[n + 2]];
      const { allowed, windows } = count(String(subject), kinds[Number(kind)] ?? [], peek === 1);
      counted.push(allowed ? 1 : 0);
      for (const { remaining, resetAt } of windows) counted.push(remaining, resetAt);
    }
    channel.send({ counted } satisfies Answer);
  });
}

function questionOf(calls: readonly Call[]): Question {
  const kinds: (readonly number[])[] = [];
  const places = new Map<readonly Allowance[], number>(); // Most callers pass the same list.
  const count: (string | number)[] = [];
  for (const { subject, allowances, peek } of calls) {
    let place = places.get(allowances);
    if (place === undefined) {
      place = kinds.push(allowances.flatMap(({ limit, seconds }) => [limit, seconds])) - 1;
      places.set(allowances, place);
    }
    count.push(subject, place, peek ? 1 : 0);
  }
  return { kinds, count };
}

function answer(calls: readonly Call[], { counted }: Answer): void {
  let at = 0;
  for (const { allowances, resolve } of calls) {
    const allowed = counted[at++] === 1;
    const windows: WindowState[] = [];
    for (const { limit, seconds } of allowances) {
      windows.push({ limit, seconds, remaining: counted[at++] ?? 0, resetAt: counted[at++] ?? 0 });
    }
    resolve({ allowed, windows });
  }
}

function readAllowances(windows: readonly number[]): Allowance[] {
  const allowances: Allowance[] = [];
  for (let n = 0; n < windows.length; n += 2) allowances.push({ limit: windows[n] ?? 0, seconds: windows[n + 1] ?? 0 });
  return allowances;
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'kinds' in message && 'count' in message;
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'counted' in message && Array.isArray(message.counted);
}
