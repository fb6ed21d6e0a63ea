import type { Logger } from 'pino';
import type { Clock } from '../../../core/ports/clock.ts';

/** Compares the clock of this machine with the server's, which every answer tells in its `Date` header. */
export interface SkewWatch {
  answered(response: unknown): void;
  /** Throws if the clocks were too far apart at the last answer. */
  assertClose(): void;
}

/** Milliseconds. Links are good for minutes: a clock that is further off makes some that are over, or that are not good yet. */
const tolerated = 60_000;

export function createSkewWatch(clock: Clock, log?: Pick<Logger, 'warn'>): SkewWatch {
  let skew = 0;
  return {
    answered(response) {
      const date = dateOf(response);
      if (Number.isNaN(date)) return;
      const before = skew;
      skew = clock.now() - date;
      if (Math.abs(skew) <= tolerated || Math.abs(before) > tolerated) return;
      log?.warn({ seconds: Math.round(skew / 1000) }, clockIsOff);
    },
    assertClose() {
      if (Math.abs(skew) > tolerated) throw new Error(clockIsOff);
    },
  };
}

const clockIsOff = 'the clock of this machine differs from that of the file storage: download links may be dead';

function dateOf(response: unknown): number {
  if (typeof response !== 'object' || response === null || !('headers' in response)) return Number.NaN;
  const { headers } = response;
  if (typeof headers !== 'object' || headers === null || !('date' in headers)) return Number.NaN;
  return Date.parse(String(headers.date));
}
