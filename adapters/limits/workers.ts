import type { Allowance, RateLimiter } from '../../core/ports/rate-limiter.ts';
import { minute } from '../../core/time.ts';
import type { FallbackOptions } from './fallback.ts';

/** A connection to another process, such as from a cluster's worker to its primary. */
export interface Channel {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
}

type Counted = Awaited<ReturnType<RateLimiter['count']>>;

interface Question {
  readonly count: number;
  readonly subject: string;
  readonly allowances: readonly Allowance[];
  readonly peek: boolean;
}

interface Answer {
  readonly counted: number;
  readonly result: Counted;
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
 * Counts with the limiter of the other process, so that all workers share its windows. After a timeout, it uses the
 * fallback and sends nothing to the other process until a late response arrives.
 */
export function createSharedRateLimiter(
  channel: Channel,
  { fallback, log, timeout = 250, now = () => performance.now() }: SharedRateLimiterOptions,
): SharedRateLimiter {
  const waiting = new Map<number, (result: Counted) => void>();
  let asked = 0;
  let isSilent = false;
  let aloneUntil = Number.NEGATIVE_INFINITY;

  channel.onMessage((message) => {
    if (!isAnswer(message)) return;
    if (isSilent) log?.info({}, 'the primary responds again: rate limits are shared');
    isSilent = false;
    waiting.get(message.counted)?.(message.result);
    waiting.delete(message.counted);
  });

  /** Returns `undefined` after a timeout. A response that arrived while this process was busy is still used. */
  function ask(subject: string, allowances: readonly Allowance[], peek: boolean): Promise<Counted | undefined> {
    return new Promise((resolve) => {
      const count = ++asked;
      const timer = setTimeout(() => {
        setImmediate(() => {
          if (!waiting.delete(count)) return;
          if (!isSilent) log?.warn({}, 'the primary does not respond: each worker counts rate limits for itself');
          isSilent = true;
          resolve(undefined);
        });
      }, timeout);
      waiting.set(count, (result) => {
        clearTimeout(timer);
        resolve(result);
      });
      channel.send({ count, subject, allowances, peek } satisfies Question);
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
  channel.onMessage(async (message) => {
    if (!isQuestion(message)) return;
    const { count, subject, allowances, peek } = message;
    channel.send({ counted: count, result: await limiter.count(subject, allowances, { peek }) } satisfies Answer);
  });
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'count' in message && 'subject' in message;
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'counted' in message && 'result' in message;
}
