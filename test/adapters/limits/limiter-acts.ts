import { setTimeout } from 'node:timers/promises';
import type { Allowance, RateLimiter } from '../../../core/ports/rate-limiter.ts';

export const out = 'warn redis is unavailable: rate limits are counted in memory';
export const back = 'info redis is back: rate limits are shared again';

export async function until(condition: () => unknown): Promise<void> {
  while (!(await condition())) await setTimeout(5);
}

/** How many of the calls of `ada`, made at once, are allowed. */
export async function burst(calls: number, limiter: RateLimiter, ...allowances: Allowance[]): Promise<number> {
  const answers = await Promise.all(Array.from({ length: calls }, () => limiter.count('ada', allowances)));
  return answers.filter(({ allowed }) => allowed).length;
}

/** Keeps what it is told. */
export function makeLog() {
  const lines: string[] = [];
  const reasons: unknown[] = [];
  return {
    lines,
    reasons,
    info: (_fields: object, text: string) => void lines.push(`info ${text}`),
    warn(fields: object, text: string) {
      lines.push(`warn ${text}`);
      reasons.push({ ...fields });
    },
  };
}
