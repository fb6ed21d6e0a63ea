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

/** Counts with the limiter at the other end of the line, so that all workers share its windows. */
export function createSharedRateLimiter(channel: Channel): RateLimiter {
  const waiting = new Map<number, (result: Counted) => void>();
  let asked = 0;
  channel.onMessage((message) => {
    if (!isAnswer(message)) return;
    waiting.get(message.counted)?.(message.result);
    waiting.delete(message.counted);
  });
  return {
    count: (subject, allowances, { peek = false } = {}) =>
      new Promise((resolve) => {
        const count = ++asked;
        waiting.set(count, resolve);
        channel.send({ count, subject, allowances, peek } satisfies Question);
      }),
  };
}

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
