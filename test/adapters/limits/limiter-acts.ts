import type { Allowance, RateLimiter } from '../../../core/ports/rate-limiter.ts';

export const outageLine = 'warn redis is unavailable: rate limits are counted in memory';
export const recoveryLine = 'info redis is back: rate limits are shared again';

/** Makes calls for `ada` at once. Returns how many were allowed. */
export async function burst(calls: number, limiter: RateLimiter, ...allowances: Allowance[]): Promise<number> {
  const answers = await Promise.all(Array.from({ length: calls }, () => limiter.count('ada', allowances)));
  return answers.filter(({ allowed }) => allowed).length;
}

/** Creates a log that records its lines. */
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
