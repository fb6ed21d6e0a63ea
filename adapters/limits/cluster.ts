import type { Allowance, RateLimiter } from '../../core/ports/rate-limiter.ts';

/** One end of a line between two processes, such as a cluster's worker and its primary. */
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

export interface SharedRateLimiterOptions {
  /** Counts while the other end does not answer. */
  readonly fallback: RateLimiter;
  readonly log?: {
    info(fields: object, text: string): void;
    warn(fields: object, text: string): void;
  };
  /** Milliseconds that the other end may take for an answer. */
  readonly timeout?: number;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

export interface SharedRateLimiter extends RateLimiter {
  /**
   * Whether all calls of the last minute were counted at the other end. A minute, so that it is seen by whoever asks that
   * often: while the other end is silent, it may be the one that cannot be asked.
   */
  isShared(): boolean;
}

/**
 * Counts with the limiter at the other end of the line, so that all workers share its windows. If no answer comes in time,
 * the fallback counts, and nothing more is asked, until the other end answers what it was asked before.
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
    if (isSilent) log?.info({}, 'the primary answers again: rate limits are shared');
    isSilent = false;
    waiting.get(message.counted)?.(message.result);
    waiting.delete(message.counted);
  });

  /** `undefined` if no answer comes in time. One that came while this process was busy is there at the next turn. */
  function ask(subject: string, allowances: readonly Allowance[], peek: boolean): Promise<Counted | undefined> {
    return new Promise((resolve) => {
      const count = ++asked;
      const timer = setTimeout(() => {
        setImmediate(() => {
          if (!waiting.delete(count)) return;
          if (!isSilent) log?.warn({}, 'the primary does not answer: each worker counts rate limits for itself');
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

/** Milliseconds. */
const minute = 60_000;

/** Answers what the other end of the line asks. */
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
