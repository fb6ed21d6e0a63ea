import type { Instant } from '../ports/clock.ts';

/** The terms that a license is issued on. */
export interface Terms {
  readonly productId: number;
  /** 1 to 1,000,000. */
  readonly maxDomains: number;
  readonly expiresAt: Instant | null;
}
