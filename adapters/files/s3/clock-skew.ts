import type { Logger } from 'pino';
import type { Clock } from '../../../core/ports/clock.ts';
import { minute } from '../../../core/time.ts';

/** Compares the clock of this machine with the `Date` header of the server's responses. */
export interface SkewWatch {
  answered(response: unknown): void;
  /** Throws if the clocks differed too much at the last response. */
  assertClose(): void;
}

/** In milliseconds. Links are valid for minutes. With a larger difference, new links can be expired or not valid yet. */
const tolerated = minute;

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

const clockIsOff = 'the clock of this machine differs from that of the file storage: download links may not work';

function dateOf(response: unknown): number {
  if (typeof response !== 'object' || response === null || !('headers' in response)) return Number.NaN;
  const { headers } = response;
  if (typeof headers !== 'object' || headers === null || !('date' in headers)) return Number.NaN;
  return Date.parse(String(headers.date));
}
